#!/usr/bin/env bash
# Install the first of some Debian packages that can be had, as root: `debian.sh PACKAGE…`.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive

apt-get update -qq < /dev/null
for package in "$@"; do
    apt-get install -y -qq --no-install-recommends "$package" < /dev/null && exit 0
done
echo "set-up: none of these could be installed: $*" >&2
exit 1
