"""OVER in the SELECT list: aggregates of the tuples before each tuple, and of itself.

Functions that number tuples, or look back at one, are told in terms of aggregates over frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from windrow.errors import Refused, UnknownName
from windrow.language import engine
from windrow.language.aggregates import Arguments, Call, is_call, read_calls
from windrow.language.context import Context, Names
from windrow.language.names import did_you_mean
from windrow.language.own_over import check_versions, in_panes, is_told, shares_in_panes, spread
from windrow.language.projection import Column, as_written
from windrow.language.scalars import NotScalar, function_names
from windrow.language.scope import Scope
from windrow.language.timestamps import timestamp_column, timestamp_positions
from windrow.language.window_functions import is_of_over, meaning_of
from windrow.plan.emitting import windows_of
from windrow.plan.grouping import Frame, Over
from windrow.plan.nodes import Node, Project
from windrow.plan.patterns import Pattern
from windrow.plan.windows import Extent
from windrow.schema import Field, Schema


def has_over(columns: Sequence[Column]) -> bool:
    """Whether a SELECT list has OVER."""
    return any(column.expression.find(exp.Window) for column in columns)


@dataclass(frozen=True)
class _Asked:
    """An aggregate over a frame."""

    call: exp.Expr
    partition: tuple[exp.Expr, ...]
    frame: Frame


@dataclass
class Overs:
    """Steps for the OVERs of a SELECT list, and their results in its expressions."""

    context: Context
    names: Names
    scope: Scope
    name: str
    """What is read, in words."""
    _asked: dict[_Asked, list[exp.Column]] = field(default_factory=dict)
    """With the places in expressions that its result belongs to."""

    def above(self, input_: Node, columns: Sequence[Column]) -> tuple[Node, list[Column]]:
        """The input with the results of all frames, and the SELECT list over that."""
        listed = [self._over_frames(column, input_) for column in columns]
        calls = read_calls([each.call for each in self._asked], input_.schema, self.scope, self.context)
        pairs = list(zip(self._asked, calls, strict=True))
        for asked, call in pairs:
            self._check(asked, call)
        self._check_told([asked for asked, call in pairs if is_told(call, asked.frame)])
        arguments = Arguments(input_.schema, self.names, self.scope)
        plain = [arguments.of(call) for call in calls]
        partitions = [
            tuple(arguments.column(key, "key").name for key in asked.partition) for asked in self._asked
        ]
        node = _with_computed(input_, arguments)
        steps: dict[tuple[bool, tuple[str, ...], Frame], list[tuple[exp.Expr, Field, Call]]] = {}
        own = Names({name.lower() for name in node.schema.names})
        for (asked, places), call, tree, keys in zip(
            self._asked.items(), calls, plain, partitions, strict=True
        ):
            result = Field(own.fresh(as_written(call.result.name, self.scope)), call.result.type)
            for place in places:
                place.this.set("this", result.name)
            steps.setdefault((is_told(call, asked.frame), keys, asked.frame), []).append(
                (tree, result, call)
            )
        partitions_in_order = list(dict.fromkeys(partitions))
        for step in sorted(steps, key=lambda step: (step[0], partitions_in_order.index(step[1]))):
            told, keys, frame = step
            trees, fields, called = zip(*steps[step], strict=True)
            over = Over(node, trees, fields, keys, frame, told)
            shares = shares_in_panes(called, frame) if len(steps) == 1 else None
            node = over if shares is None else in_panes(node, shares, over, own)
        several = {
            id(place): call
            for places, call in zip(self._asked.values(), calls, strict=True)
            for place in places
        }
        return node, [each for column in listed for each in spread(column, several)]

    def _over_frames(self, column: Column, input_: Node) -> Column:
        """A column of the SELECT list in which results stand for what is OVER frames."""
        name = column.name
        root = exp.Paren(this=column.expression.copy())
        for window in list(root.find_all(exp.Window)):
            self._check_input(window, input_)
            if name is None and window.parent is root and is_of_over(window.this, self.scope):
                name = _shown(window, self.scope)
            window.replace(self._meaning(window, input_))
        return replace(column, expression=root.this.pop(), name=name)

    def _meaning(self, window: exp.Window, input_: Node) -> exp.Expr:
        partition = tuple(each.unnest() for each in window.args.get("partition_by") or ())
        frame = self._frame(window, input_)

        def over(call: exp.Expr, own: Frame | None = None) -> exp.Expr:
            wanted = own or frame or self._lacking(window)
            result = exp.column("", quoted=True)
            self._asked.setdefault(_Asked(call, partition, wanted), []).append(result)
            return result

        told = meaning_of(window.this, frame, over, self.scope)
        if told is not None:
            return told
        self._check_aggregate(window)
        return over(window.this)

    def _frame(self, window: exp.Window, input_: Node) -> Frame | None:
        """The frame; None where nothing is said of it."""
        if window.args.get("alias"):
            raise Refused(
                "OVER takes no name here", self.scope.place(window), hint="write the frame into OVER (…)"
            )
        if window.args.get("spec"):
            raise Refused(
                "a frame ends with the tuple itself: what follows has not come yet",
                self.scope.place(window),
                hint="write RANGE 10 MINUTES PRECEDING or ROWS 9 PRECEDING",
            )
        order = window.args.get("order")
        if order is not None:
            self._check_order(order, input_)
        clause = window.meta.get("frame")
        if clause is not None:
            return Frame(clause.extent, clause.size, clause.slide, clause.active)
        return Frame(Extent.TIME, None) if order is not None else None

    def _check_order(self, order: exp.Order, input_: Node) -> None:
        stamps = {input_.schema.names[place] for place in timestamp_positions(input_)}
        first, *more = order.expressions
        is_time = isinstance(first.this, exp.Column) and first.this.name in stamps
        if is_time and not first.args.get("desc") and not more:
            return
        name = timestamp_column(input_)
        raise Refused(
            "frames follow the tuples as they come, in the order of their timestamp",
            self.scope.place(more[0] if is_time and more else first),
            hint=f"the timestamp here is {name}" if name else "leave ORDER BY out",
        )

    def _lacking(self, window: exp.Window) -> Frame:
        raise Refused(
            "OVER does not say which tuples before each one it takes in",
            self.scope.place(window),
            hint="write RANGE 10 MINUTES PRECEDING, ROWS 9 PRECEDING or RANGE UNBOUNDED PRECEDING",
        )

    def _check_input(self, window: exp.Window, input_: Node) -> None:
        if input_.pattern is not Pattern.MON:
            has_windows = any(True for _ in windows_of(input_))
            raise NotScalar(
                "OVER",
                f"OVER follows tuples as they come, and those of {self.name} stop counting again",
                self.scope.place(window),
                hint="leave the window in FROM out: the frame in OVER tells how far back to look"
                if has_windows
                else "rows have no timestamp here: say OVER (ORDER BY column RANGE …)",
            )

    def _check_aggregate(self, window: exp.Window) -> None:
        if is_call(window.this, self.context):
            return
        function = window.this.find(exp.Func)
        name = min(function_names(function, self.scope)) if function else "this"
        if name not in engine.functions("scalar", "macro"):
            raise UnknownName(
                f"there is no function '{name}'",
                self.scope.place(window),
                hint=did_you_mean(name, sorted(engine.functions("aggregate", "window"))),
            )
        raise Refused(
            f"{name}() is no aggregate, and OVER takes one",
            self.scope.place(window),
            hint="write an aggregate, as sum(x) OVER (ROWS 9 PRECEDING)",
        )

    def _check_told(self, told: Sequence[_Asked]) -> None:
        """Results that make rows of their own do so for one frame."""
        for asked in told[1:]:
            if (asked.partition, asked.frame) != (told[0].partition, told[0].frame):
                raise Refused(
                    "window aggregates give rows of their own, and these are over different frames",
                    self.scope.place(asked.call),
                    hint="call each in a query of its own",
                )

    def _check(self, asked: _Asked, call: Call) -> None:
        if call.versions:
            check_versions(call, asked.frame, self.scope)
        if asked.frame.preceding is None and not call.has_fixed_size and not self.context.allow_unbounded:
            raise Refused(
                f"{call.name}() would keep all tuples of {self.name} for ever",
                self.scope.place(call.tree),
                hint="let the frame end, as RANGE 10 MINUTES PRECEDING, or SET allow_unbounded = true",
            )


def _shown(window: exp.Window, scope: Scope) -> str:
    """A function that is told in terms of others, as it was written."""
    shown = window.this.copy()
    for column in shown.find_all(exp.Column):
        column.replace(exp.column(column.meta.get("visible", column.name)))
    function = window.find(exp.Func)
    assert function is not None
    return f"{min(function_names(function, scope))}({shown.sql('duckdb').partition('(')[2]}"


def _with_computed(input_: Node, arguments: Arguments) -> Node:
    """The input, and beside its columns those that have to be computed for frames."""
    if not arguments.computed:
        return input_
    expressions = (
        *(exp.column(each.name, quoted=True) for each in input_.schema),
        *(each for each, _ in arguments.computed),
    )
    return Project(input_, expressions, Schema((*input_.schema, *(each for _, each in arguments.computed))))
