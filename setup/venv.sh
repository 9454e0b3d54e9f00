#!/usr/bin/env bash
# Make .venv if it is not there, and install a lock and windrow itself into it: `venv.sh LOCK`.
set -euo pipefail
cd "$(dirname "$0")/.."
lock=$1
python=${PYTHON:-python3}

stop() {
    echo "set-up: $1" >&2
    exit 1
}

command -v "$python" > /dev/null || stop "no '$python' on the path: install Python 3.11, or say make PYTHON=…"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    stop "$("$python" --version) is too old: install Python 3.11 or later, or say make PYTHON=…"

if ! .venv/bin/python -m pip --version > /dev/null 2>&1; then
    if ! "$python" -c 'import ensurepip' 2> /dev/null; then
        if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
            echo "set-up: this Python cannot make virtual environments; installing Debian's python3-venv"
            setup/debian.sh python3-venv
        else
            stop "this Python cannot make virtual environments: run  sudo apt-get install python3-venv"
        fi
    fi
    rm -rf .venv
    "$python" -m venv .venv
fi

echo "set-up: installing the $(grep -c == "$lock") pinned packages of $lock (the first time takes minutes)"
pip=(.venv/bin/python -m pip --disable-pip-version-check --no-input install)
"${pip[@]}" -r "$lock" | { grep -v '^Requirement already satisfied' || true; }
"${pip[@]}" --quiet --no-deps --no-build-isolation --editable .
