"""The command `windrow`: its verbs, their options, and their help.

Everything heavy is imported by the verb that needs it, so that help and mistakes answer at once.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Annotated, Literal

import typer

from windrow.cli.console import out
from windrow.cli.failures import guarded
from windrow.cli.opening import DEFAULT_MASTER, Options
from windrow.cli.signals import listen

app = typer.Typer(
    name="windrow",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)

Runner = Literal["spark", "inline"]
Scene = Literal["auctions", "packets", "rfid"]

RunnerOption = Annotated[Runner, typer.Option("--runner", help="Where queries run.")]
MasterOption = Annotated[str, typer.Option("--master", metavar="URL", help="The Spark master.")]
CheckpointOption = Annotated[
    str | None,
    typer.Option("--checkpoint", metavar="DIR", help="Keep streams and state there; a second run goes on."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A setting, as SET has it; may be repeated."),
]
ForOption = Annotated[str | None, typer.Option("--for", metavar="TIME", help="Stop after 30s, 5m, 1h …")]


def _told(command: Callable[[], object], *, origin: str | None = None) -> None:
    raise typer.Exit(guarded(command, origin=origin))


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        out().print(f"windrow {version('windrow')}")
        raise typer.Exit


@app.callback()
def windrow(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """SQL over windows that slide, on Apache Spark.

    Try `windrow demo`, then `windrow sql`.
    """


@app.command("run")
def run_command(
    script: Annotated[
        str, typer.Argument(metavar="SCRIPT.esl", help="The statements; - is standard input.")
    ],
    runner: RunnerOption = "spark",
    master: MasterOption = DEFAULT_MASTER,
    checkpoint: CheckpointOption = None,
    until_idle: Annotated[
        bool, typer.Option("--until-idle", help="Stop when all that there is has been processed.")
    ] = False,
    for_: ForOption = None,
    steps: Annotated[
        bool, typer.Option("--steps", help="Tell at the end what each step of each plan did.")
    ] = False,
    set_: SetOption = None,
) -> None:
    """Run a script until Ctrl-C, or as long as told.

    A bare SELECT prints its changes; a line shows the progress, a table at the end what came of it.

    Examples:

    * `windrow run auctions.esl`
    * `windrow run auctions.esl --runner inline --for 30s`
    * `windrow run load.esl --checkpoint /data/load --until-idle`
    """

    def command() -> None:
        from windrow.cli.arguments import seconds
        from windrow.cli.run import run

        length = None if for_ is None else seconds(for_)
        options = _options(runner, master, checkpoint, set_)
        run(script, options, until_idle=until_idle, seconds=length, steps=steps)

    _told(command, origin=script)


@app.command("sql")
def sql_command(
    script: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="Statements to run; - is standard input.")
    ] = None,
    statements: Annotated[
        str | None, typer.Option("-c", metavar="STATEMENTS", help="Statements to run.")
    ] = None,
    runner: RunnerOption = "spark",
    master: MasterOption = DEFAULT_MASTER,
    checkpoint: CheckpointOption = None,
    for_: ForOption = None,
    set_: SetOption = None,
) -> None:
    r"""A shell for statements; with -c or FILE, run them and print their answers.

    In the shell, a SELECT shows its changes until Ctrl-C; `\help` lists the commands.

    Examples:

    * `windrow sql`
    * `windrow sql --runner inline -c "SHOW SETTINGS"`
    * `windrow sql queries.esl --for 10s`
    """

    def command() -> None:
        from windrow.cli.arguments import seconds
        from windrow.cli.sql import sql
        from windrow.errors import Error

        if script is not None and statements is not None:
            raise Error("both -c and a file are given", hint="give the statements in one of them")
        length = None if for_ is None else seconds(for_)
        sql(script, statements, _options(runner, master, checkpoint, set_), seconds=length)

    _told(command, origin=script)


@app.command("test")
def run_tests(
    scripts: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Scripts with ASSERT, or folders of them.")
    ],
    runner: RunnerOption = "spark",
    master: MasterOption = DEFAULT_MASTER,
    set_: SetOption = None,
) -> None:
    """Run scripts with INSERT, ADVANCE and ASSERT, and tell which of them hold.

    Each has a database of its own, and a clock that moves only when the script says so. Exits
    with 1 if something asserted is not so, and with 2 if a script could not be run to its end.

    Examples:

    * `windrow test bids.esl`
    * `windrow test --runner inline tests/scripts`
    """

    def command() -> None:
        from windrow.cli.test import run_scripts

        sys.exit(run_scripts(scripts, _options(runner, master, None, set_)))

    _told(command)


@app.command("explain")
def explain_command(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="The statements; - is standard input.")],
    form: Annotated[
        Literal["text", "json", "dot"], typer.Option("--format", help="Text, or a form for programs.")
    ] = "text",
) -> None:
    """Show the plans of a script's queries, and run none of them.

    Examples:

    * `windrow explain auctions.esl`
    * `windrow explain auctions.esl --format dot | dot -Tsvg > plan.svg`
    """

    def command() -> None:
        from windrow.cli.explain import explain

        explain(script, form)

    _told(command, origin=script)


@app.command("demo")
def demo_command(
    scene: Annotated[
        Scene, typer.Argument(metavar="[auctions|packets|rfid]", help="What flows.")
    ] = "auctions",
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="How long.")] = 30,
    runner: RunnerOption = "spark",
    master: MasterOption = DEFAULT_MASTER,
) -> None:
    """A live stream, and the answers of a few queries as they change.

    Examples:

    * `windrow demo`
    * `windrow demo packets --seconds 60`
    * `windrow demo rfid --runner inline`
    """

    def command() -> None:
        from windrow.cli.demo import demo

        demo(scene, seconds, Options(runner, master))

    _told(command)


@app.command("state")
def state_command(
    checkpoint: Annotated[str, typer.Argument(metavar="CHECKPOINT", help="The folder of a run.")],
) -> None:
    """What the steps of a checkpoint's queries keep: rows, bytes, and when these end.

    Examples:

    * `windrow state /data/load`
    """

    def command() -> None:
        from windrow.cli.state import state

        state(checkpoint)

    _told(command)


@app.command("bench")
def bench_command(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Default: all.")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small inputs: is it alive, not how fast.")
    ] = False,
) -> None:
    """Measure: each benchmark states a ratio taken in one run.

    Examples:

    * `windrow bench passthrough`
    * `windrow bench --quick`
    """

    def command() -> None:
        from windrow.cli.bench import bench

        sys.exit(bench(names or [], quick=quick))

    _told(command)


@app.command("doctor")
def doctor_command(
    quick: Annotated[bool, typer.Option("--quick", help="Leave out what starts Spark.")] = False,
    warm: Annotated[bool, typer.Option("--warm", help="Fill the kernel cache.")] = False,
) -> None:
    """Check Python, Java, Spark, disk, ports and the kernel cache; say how to mend what is wrong.

    Examples:

    * `windrow doctor`
    * `windrow doctor --quick`
    """

    def command() -> None:
        from windrow.cli.doctor import doctor

        sys.exit(doctor(out(), quick=quick, warm=warm))

    _told(command)


def _options(runner: Runner, master: str, checkpoint: str | None, pairs: list[str] | None) -> Options:
    from windrow.cli.arguments import assignments

    return Options(runner, master, checkpoint, assignments(pairs or []))


def main() -> None:
    """The entry point."""
    listen()
    logging.basicConfig(handlers=[logging.NullHandler()])  # libraries log tracebacks; ours go to files
    sys.exit(guarded(app))
