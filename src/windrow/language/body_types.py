"""Types in the body of an aggregate. Names are resolved already, and columns carry their types.

To be typed, an expression is made one over plain columns: a NULL of its type stands for a query, and
for the call of an aggregate of the user's own. What depends on an argument without a declared type has
the type `ANY`, and is not looked at until a call says more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from windrow.aggregate_body import OLDEST, TUPLE, LocalTable
from windrow.errors import Span, TypeMismatch
from windrow.language import engine
from windrow.language.casts import castable, spells
from windrow.language.engine import Fault
from windrow.language.tokens import DIALECT
from windrow.language.types import Placing, explained, type_scalars
from windrow.schema import Field, Schema

ANY = "ANY"


def types_of(expressions: Sequence[exp.Expr], place: Placing) -> tuple[str, ...]:
    """The type of each expression."""
    if not expressions:
        return ()
    columns: dict[str, Field] = {}
    plain = [_plain(expression, columns) for expression in expressions]
    known = [None if _is_open(each, columns) else each for each in plain]
    typed = [each for each in known if each is not None]
    found = iter(type_scalars(typed, Schema(tuple(columns.values())), place) if typed else ())
    return tuple(ANY if each is None else next(found).type for each in known)


def check_query(query: exp.Query, tables: Iterable[LocalTable], place: Placing) -> None:
    """Refuse a query whose parts have types, but that makes no whole: as with a GROUP BY that lacks."""
    if any(node.meta.get("type") == ANY for node in query.walk()):
        return
    with_ = ", ".join(_as_cte(table) for table in tables)
    alone = query.copy()
    root = exp.Paren(this=alone)
    for column in list(root.find_all(exp.Column)):
        if column.table in (TUPLE, OLDEST):
            column.replace(_null(column.meta["type"]))
    for call in list(root.find_all(exp.Anonymous)):
        if "type" in call.meta:
            call.replace(exp.AnyValue(this=_null(call.meta["type"])))
    try:
        engine.describe(f"{f'WITH {with_} ' if with_ else ''}{alone.sql(DIALECT)}")
    except Fault as fault:
        raise explained(fault, place(query)) from None


def fitted(expression: exp.Expr, type_: str, target: Field, what: str, span: Span) -> exp.Expr:
    """An expression cast to the type of a column that takes it; `what` names the column."""
    if ANY in (type_, target.type) or type_ == target.type:
        return expression
    if isinstance(expression, exp.Literal) and expression.is_string:
        if not spells(expression.name, target.type):
            message = f"'{expression.name}' cannot be read as {target.type}"
            raise TypeMismatch(message, span, hint="write a value of that type")
    elif not castable(type_, target.type):
        message = f"{what} is {target.type}, and this is {type_}"
        raise TypeMismatch(message, span, hint="an explicit CAST may help")
    return cast(expression, target.type)


def cast(expression: exp.Expr, type_: str) -> exp.Cast:
    return exp.Cast(this=expression, to=exp.DataType.build(type_, dialect=DIALECT))


def _plain(expression: exp.Expr, columns: dict[str, Field]) -> exp.Expr:
    root = exp.Paren(this=expression.copy())
    _simplify(root, columns)
    plain: exp.Expr = root.this.pop()
    return plain


def _simplify(node: exp.Expr, columns: dict[str, Field]) -> None:
    for child in list(node.iter_expressions()):
        stand_in = _stand_in(child, columns)
        if stand_in is None:
            _simplify(child, columns)
        else:
            stand_in.meta.update(child.meta)
            child.replace(stand_in)


def _stand_in(node: exp.Expr, columns: dict[str, Field]) -> exp.Expr | None:
    if isinstance(node, exp.Column) and "type" in node.meta:
        name = f"{node.table}.{node.name}"
        columns[name.lower()] = Field(name.lower(), node.meta["type"])
        return exp.column(name.lower(), quoted=True)
    if isinstance(node, exp.Exists):
        return _null("BOOLEAN")
    if isinstance(node, exp.Any | exp.All) and isinstance(node.this, exp.Query):
        return _null(_first(node.this))
    if isinstance(node, exp.In) and (query := node.args.get("query")) is not None:
        _simplify(node, columns)
        return exp.In(this=node.this.copy(), expressions=[_null(_first(query))])
    if isinstance(node, exp.Query):
        return _null(_first(node))
    if isinstance(node, exp.Anonymous) and "type" in node.meta:
        return _null(node.meta["type"])
    return None


def _first(query: exp.Expr) -> str:
    schema: Schema = query.meta["schema"]
    return schema.fields[0].type


def _is_open(plain: exp.Expr, columns: dict[str, Field]) -> bool:
    """Whether the type waits for a call."""
    if any(columns[column.name].type == ANY for column in plain.find_all(exp.Column)):
        return True
    return any(node.meta.get("open") for node in plain.walk())


def _null(type_: str) -> exp.Expr:
    if type_ == ANY:
        unknown = exp.Null()
        unknown.meta["open"] = True
        return unknown
    return cast(exp.Null(), type_)


def _as_cte(table: LocalTable) -> str:
    types = ('"NULL"' if field.type == ANY else field.type for field in table.schema)
    names = (_quoted(field.name) for field in table.schema)
    values = (f"CAST(NULL AS {type_}) AS {name}" for type_, name in zip(types, names, strict=True))
    return f"{_quoted(table.name)} AS (SELECT {', '.join(values)})"


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(DIALECT)
