"""`windrow doctor`: does this machine have what windrow needs, and if not, what to do about it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from windrow.cli.checks import CHECKS, Check, Finding, Verdict
from windrow.kernels.__main__ import warm_with_bar

_MARKS = {
    Verdict.FINE: "[green]✓[/]",
    Verdict.CONCERN: "[yellow]![/]",
    Verdict.FAILURE: "[red]✗[/]",
}


def doctor(
    console: Console, *, quick: bool = False, warm: bool = False, checks: Iterable[Check] = CHECKS
) -> int:
    """Show what the checks found; 1 if one failed, else 0.

    `quick` leaves the slow checks out, `warm` compiles the kernels first.
    """
    if warm:
        warm_with_bar(console)
    findings = {}
    for check in checks:
        if quick and check.slow:
            continue
        with console.status(f"looking at {check.name} …"):
            findings[check.name] = _examine(check)
    console.print(_table(findings))
    failed = [name for name, finding in findings.items() if finding.verdict is Verdict.FAILURE]
    console.print(f"To mend: {', '.join(failed)}." if failed else "Windrow can run here.")
    return 1 if failed else 0


def _examine(check: Check) -> Finding:
    try:
        return check.look()
    except Exception as error:
        return Finding(Verdict.FAILURE, f"{type(error).__name__}: {error}", "see windrow's issues")


def _table(findings: dict[str, Finding]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for heading in ("", "check", "result", "fix"):
        table.add_column(heading, overflow="fold")
    for name, finding in findings.items():
        table.add_row(_MARKS[finding.verdict], name, escape(finding.found), escape(finding.fix))
    return table
