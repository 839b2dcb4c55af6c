#!/usr/bin/env bash
# Debian's browsers, for the tests that need one. Does nothing where they are, and says so where they cannot be had.
set -euo pipefail

missing=()
for browser in chromium firefox-esr; do
  command -v "$browser" >/dev/null || missing+=("$browser")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "Install ${missing[*]} first" >&2
  exit 1
fi
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
"${sudo[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
