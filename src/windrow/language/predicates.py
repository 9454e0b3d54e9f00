"""Conditions in WHERE, ON and HAVING: resolved, and of type BOOLEAN."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from windrow.errors import TypeMismatch
from windrow.language.scalars import check_scalar
from windrow.language.scope import Scope
from windrow.language.types import type_scalars
from windrow.schema import Field, Schema


def resolved_condition(
    condition: exp.Expr, scope: Scope, columns: Iterable[Field], clause: str
) -> exp.Expr:
    """A condition over some columns, which names resolve to; `clause` is what it stands in."""
    check_scalar(condition, scope)
    resolved = scope.resolve(condition)
    check_scalar(resolved, scope)
    return typed_condition(resolved, condition, scope, columns, clause)


def typed_condition(
    predicate: exp.Expr, written: exp.Expr, scope: Scope, columns: Iterable[Field], clause: str
) -> exp.Expr:
    """A resolved condition; refused unless it is one."""
    (field,) = type_scalars([predicate], Schema(tuple(columns)), scope.place)
    if field.type != "BOOLEAN":
        raise TypeMismatch(
            f"{clause} takes a condition, and this has type {field.type}",
            scope.place(written),
            hint="compare it with something",
        )
    return predicate
