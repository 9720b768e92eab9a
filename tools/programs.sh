#!/bin/sh
# Install programs that the tests need and pip does not install: Chromium and PostgreSQL from Debian, axe-core from npm.
# A program is installed only if it is missing and if that needs no password. If a program cannot be installed, this is
# not an error: the tests that need it are skipped, or fail if CI=true.
cd "$(dirname "$0")/.." || exit 0

has() { command -v "$1" >/dev/null 2>&1; }

wanted=""
has chromium || wanted="chromium"
has initdb || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || wanted="$wanted postgresql"

as_root=""
[ "$(id -u)" = 0 ] || as_root="sudo -n"
if [ -n "$wanted" ] && has apt-get && { [ -z "$as_root" ] || $as_root true 2>/dev/null; }; then
  echo "Installing from Debian:" $wanted
  export DEBIAN_FRONTEND=noninteractive
  # If the package lists cannot be updated, the old lists may still be good enough.
  { $as_root apt-get -qq update; $as_root apt-get -qq install -y --no-install-recommends $wanted; } >/dev/null 2>&1 ||
    echo "could not install $wanted"
fi

version=$(sed -n 's/.*"axe-core": "\(.*\)".*/\1/p' package.json)
if ! grep -qs "\"version\": \"$version\"" node_modules/axe-core/package.json && has npm; then
  npm install --no-package-lock --no-audit --no-fund --loglevel=error >/dev/null 2>&1 || echo "could not install axe-core"
fi
exit 0
