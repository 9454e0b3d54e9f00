"""Types in the body of an aggregate. Names are resolved already, and columns carry their types.

To be typed, an expression is made one over plain columns: a NULL of its type stands for a query, and
for the call of an aggregate of the user's own. What depends on an argument without a declared type has
the type `ANY`, and is not looked at until a call says more.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from windrow.aggregate_body import OLDEST, TUPLE, LocalTable
from windrow.errors import Span, TypeMismatch
from windrow.language import engine
from windrow.language.casts import castable, spells
from windrow.language.engine import Fault
from windrow.language.spans import extent
from windrow.language.tokens import DIALECT
from windrow.language.types import Placing, explained, type_scalars
from windrow.schema import Field, Schema

ANY = "ANY"


def types_of(expressions: Iterable[exp.Expr], place: Placing) -> tuple[str, ...]:
    """The type of each expression."""
    return tuple(_type_of(expression, place) for expression in expressions)


def _type_of(expression: exp.Expr, place: Placing) -> str:
    columns: dict[str, Field] = {}
    root = exp.Paren(this=expression.copy())
    stand_in = None if _is_over_rows(root.this) else _stand_in(root.this, columns, place)
    if stand_in is not None:
        root.this.replace(stand_in)
    else:
        _simplify(root.this, columns, place)
    plain: exp.Expr = root.this.pop()
    if _is_open(plain, columns):
        return ANY
    (field,) = type_scalars([plain], Schema(tuple(columns.values())), place)
    return field.type


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


def _simplify(node: exp.Expr, columns: dict[str, Field], place: Placing) -> None:
    for child in list(node.iter_expressions()):
        stand_in = _stand_in(child, columns, place)
        if stand_in is None:
            _simplify(child, columns, place)
        else:
            if where := extent(child):
                stand_in.meta.update(start=where[0], end=where[1])
            child.replace(stand_in)


def _stand_in(node: exp.Expr, columns: dict[str, Field], place: Placing) -> exp.Expr | None:
    """What is typed in place of a node; None for one that is as good itself."""
    if isinstance(node, exp.Column) and "type" in node.meta:
        name = f"{node.table}.{node.name}".lower()
        columns[name] = Field(name, node.meta["type"])
        return exp.column(name, quoted=True)
    if isinstance(node, exp.Exists):
        return _null("BOOLEAN")
    if isinstance(node, exp.Any | exp.All) and isinstance(node.this, exp.Query):
        return _null(_first(node.this))
    if isinstance(node, exp.In) and (query := node.args.get("query")) is not None:
        _simplify(node, columns, place)
        return exp.In(this=node.this.copy(), expressions=[_null(_first(query))])
    if isinstance(node, exp.Query):
        return _null(_first(node))
    called = node.this if isinstance(node, exp.Filter) else node
    if isinstance(called, exp.Anonymous) and "type" in called.meta:
        return _null(called.meta["type"])
    return _null(_type_of(node, place)) if _is_over_rows(node) else None


def _is_over_rows(node: exp.Expr) -> bool:
    """Whether this is an aggregate, which cannot be typed beside plain columns."""
    if "type" in node.meta or (isinstance(node, exp.Filter) and "type" in node.this.meta):
        return False
    if isinstance(node, exp.Window | exp.Filter | exp.AggFunc):
        return True
    return isinstance(node, exp.Anonymous) and node.name.lower() in engine.functions("aggregate", "window")


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
    values = [f"CAST(NULL AS {type_}) AS {name}" for type_, name in zip(types, names, strict=True)]
    return f"{_quoted(table.name)} AS (SELECT {', '.join(values) or 'NULL AS __nothing'})"


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(DIALECT)
