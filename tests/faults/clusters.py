"""Spark on processes of this machine, whose Python has all that windrow is built on, but not windrow."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import pyspark

import windrow
from tests.faults.conftest import Family, listens
from windrow.java import require_java

SPARK = Path(pyspark.__file__).parent
HOSTS = ("127.0.0.1", "127.0.0.2")
"""Spark makes no second attempt at a task on a host that is at the first one."""


def bare_python(folder: Path, *modules: Path) -> Path:
    """A Python for workers: what is installed as files, and folders of modules, but nothing else."""
    path = folder / "python"
    known = ":".join(map(str, (*modules, sysconfig.get_path("purelib"))))
    others = f'$(echo "$PYTHONPATH" | sed "s#{Path(windrow.__file__).parents[1]}##")'
    path.write_text(f'#!/bin/sh\nPYTHONPATH="{known}:{others}" exec {sys.executable} -S "$@"\n')
    path.chmod(0o755)
    return path


def spark_home(folder: Path) -> Path:
    """All of Spark, in a folder where executors may leave what they say."""
    folder.mkdir()
    for each in SPARK.iterdir():
        (folder / each.name).symlink_to(each)
    return folder


def configured(folder: Path, settings: Mapping[str, str]) -> Path:
    """A folder that SPARK_CONF_DIR may name."""
    folder.mkdir()
    (folder / "spark-defaults.conf").write_text(
        "".join(f"{key} {value}\n" for key, value in settings.items())
    )
    return folder


class Standalone:
    """A master and workers, each a process, each worker with one executor."""

    def __init__(self, folder: Path, port: int) -> None:
        self.url = f"spark://{HOSTS[0]}:{port}"
        self._folder = folder
        self._master = self._started("master.Master", "--host", HOSTS[0], "--port", str(port))
        self._master.until(lambda: listens(port), "the master listens")
        size = ("--cores", "1", "--memory", "1g")
        self._workers = [
            self._started("worker.Worker", "--host", host, *size, "-d", str(folder / host), self.url)
            for host in HOSTS
        ]

    def members(self) -> dict[int, str]:
        return {pid: command for family in self._workers for pid, command in family.members().items()}

    def close(self) -> None:
        for family in (*self._workers, self._master):
            family.close()

    def _started(self, part: str, *arguments: str) -> Family:
        command = [f"{SPARK}/bin/spark-class", f"org.apache.spark.deploy.{part}", "--webui-port", "0"]
        variables = {
            "JAVA_HOME": str(require_java().home),
            "SPARK_HOME": str(SPARK),
            "SPARK_DAEMON_MEMORY": "256m",
        }
        return Family([*command, *arguments], self._folder, variables)


def executors(members: Mapping[int, str]) -> list[int]:
    return [pid for pid, command in members.items() if "CoarseGrainedExecutorBackend" in command]


def python_workers(members: Mapping[int, str]) -> list[int]:
    """Those that a daemon forked."""
    daemons = {pid for pid, command in members.items() if "_daemon" in command}
    return [pid for pid in daemons if _parent(pid) in daemons]


def _parent(pid: int) -> int | None:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def kill(pid: int) -> None:
    os.kill(pid, 9)
