#!/usr/bin/env bash
# See that there is a Java for Spark; as root on Debian, install one.
set -euo pipefail
cd "$(dirname "$0")/.."

find_java() { .venv/bin/python -m windrow.java; }

if ! find_java; then
    if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
        echo "set-up: installing Debian's headless Java"
        setup/debian.sh openjdk-17-jre-headless default-jre-headless
        find_java
    else
        echo "set-up: run  sudo apt-get install openjdk-17-jre-headless  or set JAVA_HOME" >&2
        exit 1
    fi
fi
