#!/usr/bin/env bash
# Pin the newest versions that pyproject.toml allows, for users and (with the tools) for developers.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${PYTHON:-python3}" -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check pip-tools

compile() {
    "$scratch/venv/bin/pip-compile" pyproject.toml --quiet --upgrade --strip-extras --allow-unsafe \
        --no-header --no-emit-options --no-emit-index-url --no-emit-find-links --no-emit-trusted-host "$@"
}
compile --all-build-deps --output-file "$scratch/users"
compile --all-build-deps --extra dev --constraint "$scratch/users" --output-file "$scratch/developers"

write() {
    { echo "# $2; written by \`make lock\`"; grep -v -e '^ *#' -e '^$' "$1"; } > "$3"
    echo "$3: $(grep -c == "$3") packages"
}
write "$scratch/users" "What windrow runs with, and setuptools to build it" requirements.lock
write "$scratch/developers" "The same, and what its tests, checks and benchmarks need" requirements-dev.lock
