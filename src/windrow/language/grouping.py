"""GROUP BY, HAVING and aggregates in the SELECT list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from windrow.errors import Refused
from windrow.language.aggregates import Arguments, Call, calls_in, read_calls
from windrow.language.bounds import endless_by_request, grows
from windrow.language.context import Context, Names, NotIncremental
from windrow.language.predicates import typed_condition
from windrow.language.projection import Column, Projection, as_written
from windrow.language.scalars import check_scalar
from windrow.language.scope import Scope
from windrow.plan.grouping import Accumulate, GroupBy
from windrow.plan.nodes import Node, Project, Select
from windrow.plan.patterns import Pattern
from windrow.schema import Field, Schema

_SEVERAL = (exp.Rollup, exp.Cube, exp.GroupingSets)


def is_grouped(select: exp.Select, columns: Sequence[Column], context: Context) -> bool:
    """Whether a SELECT makes one result of many tuples."""
    if select.args.get("group") or select.args.get("having"):
        return True
    return any(True for column in columns for _ in calls_in(column.expression, context))


@dataclass
class Grouping:
    """Groups what a SELECT reads, and finds the results in the expressions above."""

    select: exp.Select
    context: Context
    names: Names
    scope: Scope
    """With the aliases of the SELECT list."""
    name: str
    """What is grouped, in words."""
    _keys: dict[exp.Expr, exp.Column] = field(default_factory=dict)
    _results: dict[exp.Expr, exp.Column] = field(default_factory=dict)

    def group(
        self, input_: Node, projection: Projection, hidden: Sequence[Column] = ()
    ) -> tuple[Node, list[Column]]:
        """The grouped input, and over it the columns of the SELECT list, and those to sort by."""
        keys = self._key_expressions(projection.columns)
        having = self._having()
        listed = [*projection.columns, *hidden]
        above = [column.expression for column in listed]
        if having is not None:
            above.append(having)
        trees = list(dict.fromkeys(tree for each in above for tree in calls_in(each, self.context)))
        calls = read_calls(trees, input_.schema, self.scope, self.context)
        self._check_calls(calls, keys, input_)
        arguments = Arguments(input_.schema, self.names, self.scope)
        aliases = _aliases(projection.columns)
        for key in keys:
            self._keys[key] = arguments.column(key, aliases.get(key) or "key")
        plain = [arguments.of(call) for call in calls]
        own = Names({column.name.lower() for column in self._keys.values()})
        fields = [self._result(call, aliases, own) for call in calls]
        below = _below(input_, arguments)
        kind = Accumulate if self._accumulates(calls, input_) else GroupBy
        names = tuple(dict.fromkeys(column.name for column in self._keys.values()))
        node: Node = kind(below, names, tuple(plain), tuple(fields))
        if having is not None:
            node = self._chosen(node, having)
        return node, [column for each in listed for column in self._spread(each, calls)]

    def over_groups(self, expression: exp.Expr) -> exp.Expr:
        """A resolved expression in terms of the groups' columns."""

        def found(node: exp.Expr) -> exp.Expr:
            if (known := self._keys.get(node) or self._results.get(node)) is None:
                return node
            column = known.copy()
            column.meta["grouped"] = True
            return column

        rewritten = exp.Paren(this=expression.copy()).transform(found, copy=False).this
        for column in rewritten.find_all(exp.Column):
            if not column.meta.get("grouped"):
                name = column.meta.get("visible", column.name)
                raise Refused(
                    f"column '{name}' is neither grouped nor in an aggregate",
                    self.scope.place(column),
                    hint=f"add it to GROUP BY, or take any_value({name})",
                )
        check_scalar(rewritten, self.scope)
        result: exp.Expr = rewritten.pop()
        return result

    def _key_expressions(self, columns: Sequence[Column]) -> list[exp.Expr]:
        group = self.select.args.get("group")
        if group is None:
            return []
        if any(isinstance(each, _SEVERAL) for each in group.expressions):
            raise NotIncremental("GROUP BY with several sets of groups")
        if group.args.get("all"):
            keys = [each.expression for each in columns if not any(calls_in(each.expression, self.context))]
        else:
            keys = [self._key(each, columns) for each in group.expressions]
        for key in keys:
            check_scalar(key, self.scope)
        return list(dict.fromkeys(keys))

    def _key(self, written: exp.Expr, columns: Sequence[Column]) -> exp.Expr:
        if isinstance(written, exp.Literal) and written.is_int:
            place = int(written.name)
            if not 1 <= place <= len(columns):
                raise Refused(
                    f"there is no column {place} in the SELECT list",
                    self.scope.place(written),
                    hint=f"they are numbered from 1 to {len(columns)}",
                )
            return columns[place - 1].expression
        if written.find(exp.Query):
            raise NotIncremental("a query in GROUP BY")
        return self.scope.resolve(written).unnest()

    def _having(self) -> exp.Expr | None:
        having = self.select.args.get("having")
        if having is None:
            return None
        if having.this.find(exp.Query):
            raise NotIncremental("a query in HAVING")
        return self.scope.resolve(having.this)

    def _result(self, call: Call, aliases: Mapping[exp.Expr, str], names: Names) -> Field:
        wanted = aliases.get(call.tree) or as_written(call.result.name, self.scope)
        result = Field(names.fresh(wanted), call.result.type)
        self._results[call.tree] = exp.column(result.name, quoted=True)
        return result

    def _chosen(self, node: Node, having: exp.Expr) -> Node:
        written = self.select.args["having"].this
        predicate = self.over_groups(having)
        return Select(node, typed_condition(predicate, written, self.scope, node.schema, "HAVING"))

    def _spread(self, column: Column, calls: Sequence[Call]) -> list[Column]:
        """A column of the SELECT list; of an aggregate that returns several columns, all of these."""
        own = next((each for each in calls if each.tree == column.expression), None)
        expression = self.over_groups(column.expression)
        if own is None or not own.versions or len(own.versions[0].returns) == 1:
            return [replace(column, expression=expression)]
        return [
            Column(
                exp.Dot(this=expression.copy(), expression=exp.to_identifier(each.name, quoted=True)),
                each.name,
                column.written,
            )
            for each in own.versions[0].returns
        ]

    def _accumulates(self, calls: Sequence[Call], input_: Node) -> bool:
        """Whether aggregates of the user's own answer as tuples come."""
        blocking = any(call.is_blocking for call in calls)
        return bool(calls) and not blocking and input_.pattern is Pattern.MON and grows(input_)

    def _check_calls(self, calls: Sequence[Call], keys: Sequence[exp.Expr], input_: Node) -> None:
        for call in calls:
            if not call.is_incremental:
                raise NotIncremental(f"{call.name}()")
            if call.versions and call.versions[0].window:
                raise Refused(
                    f"{call.name} is a WINDOW AGGREGATE alone, and GROUP BY needs its base version",
                    self.scope.place(call.tree),
                    hint=f"CREATE AGGREGATE {call.name} as well, with its result in TERMINATE",
                )
        if not grows(input_) or self.context.allow_unbounded:
            return
        if self._accumulates(calls, input_):
            self._check_sizes(calls)
            return
        if not endless_by_request(input_):
            self._refuse_blocking(calls)
        if keys:
            raise Refused(
                f"{self.name} has no end, so its groups would be kept for ever",
                self.context.place(self.select.args["group"]),
                hint="choose a window that ends, as [RANGE 10 MINUTES], or SET allow_unbounded = true",
            )
        self._check_sizes(calls)

    def _check_sizes(self, calls: Sequence[Call]) -> None:
        for call in calls:
            if not call.has_fixed_size:
                raise Refused(
                    f"{call.name}() would keep all tuples of {self.name} for ever",
                    self.scope.place(call.tree),
                    hint="choose a window that ends, as [RANGE 10 MINUTES], or SET allow_unbounded = true",
                )

    def _refuse_blocking(self, calls: Sequence[Call]) -> None:
        blocking = next((call for call in calls if call.is_blocking), None)
        if blocking is None:
            raise Refused(
                f"GROUP BY would keep all groups of {self.name} for ever",
                self.context.place(self.select.args.get("group") or self.select),
                hint=f"give it a window, as {self.name} [RANGE 10 MINUTES], or SET allow_unbounded = true",
            )
        raise Refused(
            f"{blocking.name}() needs to know the end of its input, and {self.name} has none",
            self.scope.place(blocking.tree),
            hint=f"give it a window, as {self.name} [RANGE 10 MINUTES],"
            f" or write {blocking.name}(…) OVER (RANGE UNBOUNDED PRECEDING)",
        )


def _aliases(columns: Sequence[Column]) -> dict[exp.Expr, str]:
    """The names that the SELECT list gives to whole expressions; the first of each."""
    named: dict[exp.Expr, str] = {}
    for column in columns:
        if column.name is not None:
            named.setdefault(column.expression, column.name)
    return named


def _below(input_: Node, arguments: Arguments) -> Node:
    """The input with the columns that are grouped and aggregated, if any have to be computed."""
    if not arguments.computed:
        return input_
    kept = tuple(each for each in input_.schema if each.name in arguments.used)
    computed = arguments.computed
    expressions = (
        *(exp.column(each.name, quoted=True) for each in kept),
        *(each for each, _ in computed),
    )
    return Project(input_, expressions, Schema((*kept, *(each for _, each in computed))))
