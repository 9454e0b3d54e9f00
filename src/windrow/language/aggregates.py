"""Calls of aggregates in expressions: which they are, what type they have, and their arguments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from windrow.catalog import Aggregate
from windrow.errors import Refused, TypeMismatch
from windrow.language import engine
from windrow.language.body_types import ANY
from windrow.language.casts import castable
from windrow.language.context import Context, Names
from windrow.language.define_aggregate import fitted_to
from windrow.language.names import counted
from windrow.language.predicates import typed_condition
from windrow.language.scalars import check_scalar, function_names
from windrow.language.scope import Scope
from windrow.language.types import type_scalars
from windrow.schema import Field, Schema

_WRAPPERS = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)
_STRUCTURE = (*_WRAPPERS, exp.Distinct, exp.Order, exp.Ordered, exp.Where)
"""Nodes of a call around its arguments."""

_OF_FIXED_SIZE = (
    exp.Count,
    exp.CountIf,
    exp.Sum,
    exp.Avg,
    exp.Min,
    exp.Max,
    exp.Variance,
    exp.VariancePop,
    exp.Stddev,
    exp.StddevSamp,
    exp.StddevPop,
    exp.First,
    exp.Last,
    exp.AnyValue,
    exp.LogicalAnd,
    exp.LogicalOr,
)
"""Over a stream that only grows, they remember no more than a few numbers."""
_INCREMENTAL = (
    *_OF_FIXED_SIZE,
    exp.Median,
    exp.Quantile,
    exp.PercentileCont,
    exp.PercentileDisc,
    exp.GroupConcat,
    exp.ArrayAgg,
)


@dataclass(frozen=True)
class Call:
    """A call of an aggregate with its FILTER and the like, resolved, and what it gives."""

    tree: exp.Expr
    result: Field
    versions: tuple[Aggregate, ...] = ()
    """Of an aggregate of the user's own: its definitions, base and window."""

    @property
    def function(self) -> exp.Expr:
        return _function(self.tree)

    @property
    def name(self) -> str:
        """What people call the function."""
        return self.versions[0].name if self.versions else _called(self.function)

    @property
    def is_incremental(self) -> bool:
        """Whether it follows tuples that come and go, one by one."""
        function = self.function
        more = isinstance(function, exp.Min | exp.Max | exp.First | exp.Last) and (
            function.args.get("expressions") or function.args.get("expression")
        )
        return bool(self.versions) or (isinstance(function, _INCREMENTAL) and not more)

    @property
    def has_fixed_size(self) -> bool:
        """Whether it remembers no more, the more tuples there are."""
        plain = not any(self.tree.find(kind) for kind in (exp.Distinct, exp.Order))
        return plain and (bool(self.versions) or isinstance(self.function, _OF_FIXED_SIZE))

    @property
    def is_blocking(self) -> bool:
        """Whether it answers only at the end of its input."""
        return not self.versions or self.versions[0].blocking


def calls_in(expression: exp.Expr, context: Context) -> Iterator[exp.Expr]:
    """The aggregate calls of an expression, outermost first; those of OVER are another matter."""
    if isinstance(expression, exp.Window):
        return
    if is_call(expression, context):
        yield expression
        return
    for child in expression.iter_expressions():
        yield from calls_in(child, context)


def is_call(node: exp.Expr, context: Context) -> bool:
    function = _function(node)
    if isinstance(function, exp.AggFunc):
        return True
    if not isinstance(function, exp.Func):
        return False
    names = function_names(function, context.scope())
    return bool(names & engine.functions("aggregate")) or any(map(context.catalog.aggregates.get, names))


def read_calls(trees: Sequence[exp.Expr], input_: Schema, scope: Scope, context: Context) -> list[Call]:
    """Resolved calls with their types; raises what is wrong with them."""
    versions = [_versions(tree, context) for tree in trees]
    for tree in trees:
        _check(tree, scope, context)
        if isinstance(tree, exp.Filter):
            condition = tree.expression.this
            typed_condition(condition, condition, scope, input_, "FILTER")
    plain = [tree for tree, own in zip(trees, versions, strict=True) if not own]
    typed = iter(type_scalars(plain, input_, scope.place) if plain else ())
    return [
        _own(tree, own, input_, scope, context) if own else Call(tree, next(typed))
        for tree, own in zip(trees, versions, strict=True)
    ]


@dataclass
class Arguments:
    """Columns below a step with aggregates: keys and arguments, each computed once."""

    input_: Schema
    names: Names
    scope: Scope
    computed: list[tuple[exp.Expr, Field]] = field(default_factory=list)
    used: dict[str, None] = field(default_factory=dict)
    """Columns of the input that are used as they are."""

    def column(self, expression: exp.Expr, wanted: str, type_: str | None = None) -> exp.Column:
        """The column that holds an expression; `wanted` is a name for one that is computed."""
        if isinstance(expression, exp.Column):
            self.used[expression.name] = None
            return expression
        for other, known in self.computed:
            if other == expression:
                return exp.column(known.name, quoted=True)
        if type_ is None:
            (typed,) = type_scalars([expression], self.input_, self.scope.place)
            type_ = typed.type
        name = self.names.fresh(wanted)
        self.computed.append((expression, Field(name, type_)))
        return exp.column(name, quoted=True)

    def of(self, call: Call) -> exp.Expr:
        """A call over plain columns and literals."""
        tree = call.tree.copy()
        self._plain(tree)
        if call.versions:
            function = _function(tree)
            own = exp.Anonymous(this=call.versions[0].name, expressions=_arguments(function))
            own.meta["aggregate"] = call.versions
            if function is tree:
                return own
            function.replace(own)
        return tree

    def _plain(self, root: exp.Expr) -> None:
        for argument in list(_parts(root)):
            if isinstance(argument, exp.Column):
                self.used[argument.name] = None
            elif argument.find(exp.Column):
                argument.replace(self.column(argument, "arg"))


def _parts(tree: exp.Expr) -> Iterator[exp.Expr]:
    """The expressions that a call computes with: its arguments, FILTER condition and inner order."""
    function = _function(tree)
    stack = [tree]
    while stack:
        node = stack.pop()
        for child in node.iter_expressions():
            if child is function or isinstance(child, _STRUCTURE):
                stack.append(child)
            elif not isinstance(child, exp.Star):
                yield child


def _check(tree: exp.Expr, scope: Scope, context: Context) -> None:
    for part in _parts(tree):
        for nested in calls_in(part, context):
            raise Refused(
                "an aggregate cannot hold another one",
                scope.place(nested),
                hint="aggregate in a query in FROM first",
            )
        check_scalar(part, scope)


def _versions(tree: exp.Expr, context: Context) -> tuple[Aggregate, ...]:
    aggregates = context.catalog.aggregates
    function = _function(tree)
    if aggregates and isinstance(function, exp.Func):
        for name in function_names(function, context.scope()):
            if name in aggregates:
                return aggregates[name]
    return ()


def _own(
    tree: exp.Expr, versions: tuple[Aggregate, ...], input_: Schema, scope: Scope, context: Context
) -> Call:
    definition = versions[0]
    given = _arguments(_function(tree))
    if given and isinstance(given[0], exp.Distinct):
        given = list(given[0].expressions)
    if any(isinstance(each, exp.Order) for each in given):
        raise Refused(
            f"{definition.name} takes tuples in the order in which they come",
            scope.place(tree),
            hint="leave ORDER BY out",
        )
    if len(given) != len(definition.parameters):
        raise TypeMismatch(
            f"{definition.name} takes {counted(len(definition.parameters), 'argument')},"
            f" and here are {len(given)}",
            scope.place(tree),
            hint=f"it is declared as {_signature(definition)}",
        )
    types = type_scalars(given, input_, scope.place)
    for argument, type_, parameter in zip(given, types, definition.parameters, strict=True):
        if parameter.type != ANY and not castable(type_.type, parameter.type):
            raise TypeMismatch(
                f"{definition.name} takes {parameter.type} here, and this has type {type_.type}",
                scope.place(argument),
                hint=f"CAST it to {parameter.type}",
            )
    fitting = tuple(fitted_to(each, [type_.type for type_ in types], context.catalog) for each in versions)
    return Call(tree, Field(_name_of(definition, given), value_type(definition.returns)), fitting)


def value_type(returns: Schema) -> str:
    """One column's type, or a STRUCT of several."""
    if len(returns) == 1:
        return returns.fields[0].type
    fields = (f"{exp.to_identifier(each.name, quoted=True).sql('duckdb')} {each.type}" for each in returns)
    return f"STRUCT({', '.join(fields)})"


def _name_of(definition: Aggregate, given: Sequence[exp.Expr]) -> str:
    shown = (str(each.meta.get("visible", each.sql("duckdb"))) for each in given)
    return f"{definition.name}({', '.join(shown)})"


def _signature(definition: Aggregate) -> str:
    return f"{definition.name}({', '.join(f'{each.name} {each.type}' for each in definition.parameters)})"


def _arguments(function: exp.Expr) -> list[exp.Expr]:
    """The arguments of a call as written, whatever sqlglot made of it."""
    if isinstance(function, exp.Anonymous):
        return list(function.expressions)
    return [each for each in function.iter_expressions() if not isinstance(each, exp.Star)]


def _function(node: exp.Expr) -> exp.Expr:
    """The function within FILTER and the like."""
    while isinstance(node, _WRAPPERS):
        node = node.this
    return node


def _called(function: exp.Expr) -> str:
    if isinstance(function, exp.Anonymous):
        return function.name.lower()
    return function.sql_names()[0].lower() if isinstance(function, exp.Func) else "the aggregate"
