"""The doctor's table and its exit code, over checks made for the purpose and over the real ones."""

from __future__ import annotations

import io
import socket
import tempfile
from pathlib import Path

import pytest
from rich.console import Console

from windrow.cli import checks
from windrow.cli.checks import CHECKS, Check, Finding, Verdict, fine
from windrow.cli.doctor import doctor


def examined(*made: Check, quick: bool = False) -> tuple[int, str]:
    screen = io.StringIO()
    code = doctor(Console(file=screen, width=120), quick=quick, checks=made)
    return code, screen.getvalue()


def broken() -> Finding:
    raise OSError("the disk is on fire")


def test_all_is_well() -> None:
    code, screen = examined(Check("one", lambda: fine("there")))
    assert code == 0
    assert "✓  one" in screen
    assert "Windrow can run here." in screen


def test_a_failure_comes_with_its_fix_and_exit_code_1() -> None:
    failing = Check("other", lambda: Finding(Verdict.FAILURE, "gone", "get [another] one"))
    code, screen = examined(Check("one", lambda: fine("there")), failing)
    assert code == 1
    assert "get [another] one" in screen
    assert "To mend: other." in screen


def test_a_concern_is_no_failure() -> None:
    code, screen = examined(Check("one", lambda: Finding(Verdict.CONCERN, "little", "get more")))
    assert code == 0
    assert "get more" in screen


def test_a_check_that_breaks_is_a_failure_and_the_others_still_run() -> None:
    code, screen = examined(Check("one", broken), Check("two", lambda: fine("there")))
    assert code == 1
    assert "the disk is on fire" in screen
    assert "✓  two" in screen


def test_quick_leaves_the_slow_checks_out() -> None:
    code, screen = examined(Check("slow", broken, slow=True), quick=True)
    assert code == 0
    assert "slow" not in screen


def test_a_narrow_terminal_loses_nothing_of_the_fix() -> None:
    screen = io.StringIO()
    fix = "apt-get install openjdk-17-jre-headless"
    narrow = Console(file=screen, width=40)
    doctor(narrow, checks=[Check("java", lambda: Finding(Verdict.FAILURE, "none", fix))])
    assert "".join(fix.split()) in "".join(screen.getvalue().split())


@pytest.mark.parametrize(
    "check", [check for check in CHECKS if not check.slow], ids=lambda check: check.name
)
def test_no_quick_check_breaks(check: Check) -> None:
    finding = check.look()
    assert finding.found
    assert finding.verdict is Verdict.FINE or finding.fix


@pytest.mark.spark
def test_spark_starts_here() -> None:
    finding = checks.spark()
    assert finding.verdict is Verdict.FINE, finding


def test_a_port_that_is_taken_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        finding = checks.ports((port,))
    assert finding.verdict is Verdict.CONCERN
    assert str(port) in finding.found


def test_a_disk_is_looked_at_where_temporary_files_go() -> None:
    assert tempfile.gettempdir() in checks.disk().found


def test_little_memory_is_a_concern(tmp_path: Path) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal:  4000000 kB\nMemAvailable:    900000 kB\n")
    assert checks.memory(meminfo).verdict is Verdict.CONCERN
