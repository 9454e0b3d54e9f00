"""Queries with the plans that they become, in files to read.

A file has blocks with a line of = between them. The first holds the declarations; each other a
remark, the query, a line of -, and the plan: a line a step, with the update pattern of what it gives.
After a change that is meant, `python -m tests.language.golden_plans` writes the plans anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from windrow.catalog import Aggregate, Catalog, DerivedStream, Readable, Relation
from windrow.language.aggregate_statements import CreateAggregate
from windrow.language.binder import bind
from windrow.language.define import define
from windrow.language.define_aggregate import define_aggregate
from windrow.language.parser import parse
from windrow.language.statements import (
    CreateDerivedStream,
    CreateRelation,
    CreateStream,
    Drop,
    SetSetting,
)
from windrow.plan.nodes import Node
from windrow.schema import Schema

FOLDER = Path(__file__).with_name("golden")
_BLOCK, _PLAN = f"\n{'=' * 40}\n", f"\n{'-' * 40}\n"


@dataclass(frozen=True)
class Example:
    """A query of a file, and its plan there."""

    file: Path
    declarations: str
    title: str
    text: str
    plan: str


def examples() -> Iterator[Example]:
    for file in sorted(FOLDER.glob("*.txt")):
        declarations, *blocks = file.read_text().split(_BLOCK)
        for block in blocks:
            text, _, plan = block.partition(_PLAN)
            title = text.partition("\n")[0].removeprefix("-- ")
            yield Example(file, declarations, title, text, plan.rstrip("\n"))


def drawn(node: Node, depth: int = 0) -> str:
    """A plan, a line a step."""
    line = f"{'  ' * depth}{node.label} {node.detail}".rstrip() + f"  {{{node.pattern.name}}}"
    return "\n".join([line, *(drawn(each, depth + 1) for each in node.inputs)])


def catalog_of(declarations: str) -> Catalog:
    """What is declared and, unless that is nothing, tables and aggregates that queries of the files use."""
    catalog = Catalog()
    if planned(declarations, catalog):
        catalog.relations.update(RELATIONS)
        catalog.aggregates.update(AGGREGATES)
    return catalog


def planned(text: str, catalog: Catalog) -> str:
    """What the statements of a block come to: plans of queries, and what is declared."""
    plans, allow_unbounded = [], False
    for statement in parse(text):
        if isinstance(statement, SetSetting):
            allow_unbounded = statement.value.text == "true"
        elif isinstance(statement, Drop):
            catalog.aggregates.pop(statement.name.text.lower())
        elif isinstance(statement, CreateAggregate):
            plans.append(_added(define_aggregate(statement, catalog), catalog))
        elif isinstance(statement, CreateStream | CreateDerivedStream | CreateRelation):
            plans.append(_added(define(statement, catalog, allow_unbounded=allow_unbounded), catalog))
        else:
            plans.append(drawn(bind(statement.query, catalog, allow_unbounded=allow_unbounded)))  # type: ignore[attr-defined]
    return "\n".join(plans)


def _added(declared: Readable | Aggregate, catalog: Catalog) -> str:
    catalog.add(declared)
    if isinstance(declared, DerivedStream):
        return drawn(declared.plan)
    if isinstance(declared, Aggregate):
        blocking = "blocking" if declared.blocking else "non-blocking"
        columns = f"{_listed(declared.parameters)}) : {_listed(declared.returns)}"
        kind = f"{'algebraic ' if declared.algebraic else ''}{declared.kind}"
        return f"{kind} {declared.name}({columns}, {blocking}"
    return f"{declared.name}({_listed(declared.schema)})"


def _listed(schema: Schema) -> str:
    return ", ".join(f"{field.name} {field.type}".strip() for field in schema)


_DEFINED = """
CREATE AGGREGATE decay_online_avg(Next REAL) : REAL {
    INITIALIZE: ITERATE: { INSERT INTO RETURN VALUES (Next) }
}
CREATE AGGREGATE myavg(Next REAL) : REAL {
    TABLE state(total REAL, number INT);
    INITIALIZE: { INSERT INTO state VALUES (Next, 1) }
    ITERATE: { UPDATE state SET total = total + Next, number = number + 1 }
    TERMINATE: { INSERT INTO RETURN SELECT total / number FROM state }
}
CREATE AGGREGATE extremes(Next REAL) : (low REAL, high REAL) {
    TABLE seen(price REAL);
    INITIALIZE: ITERATE: { INSERT INTO seen VALUES (Next) }
    TERMINATE: { INSERT INTO RETURN SELECT min(price), max(price) FROM seen }
}
CREATE WINDOW AGGREGATE item_alarm(tagid VARCHAR, tagtype VARCHAR, tagtime TIMESTAMP) : VARCHAR {
    TABLE inwindow(id, type, seen);
    INITIALIZE: ITERATE: { DELETE FROM inwindow WHERE type = tagtype }
    EXPIRE: { INSERT INTO RETURN VALUES (tagid) }
}
"""
AGGREGATES = {
    each.name.text: (define_aggregate(each, Catalog()),)
    for each in parse(_DEFINED)
    if isinstance(each, CreateAggregate)
}
RELATIONS = {
    "item": Relation("Item", Schema.of(("itemID", "INTEGER"), ("name", "VARCHAR")), ("itemID",)),
    "seller": Relation(
        "Seller", Schema.of(("id", "VARCHAR"), ("city", "VARCHAR")), ("id",), retroactive=False
    ),
}


def write() -> None:
    """Write the plans of all files as they are now."""
    for file in sorted(FOLDER.glob("*.txt")):
        declarations, *blocks = file.read_text().split(_BLOCK)
        catalog = catalog_of(declarations)
        texts = (block.partition(_PLAN)[0].rstrip("\n") for block in blocks)
        renewed = (f"{text}{_PLAN}{planned(text, catalog)}" for text in texts)
        file.write_text(_BLOCK.join([declarations, *renewed]) + "\n")


if __name__ == "__main__":
    write()
