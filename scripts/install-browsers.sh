#!/usr/bin/env bash
# Installs Chromium and Firefox from Debian packages for the browser tests. Does nothing if they are already installed.
set -euo pipefail

missing=()
for browser in chromium firefox-esr; do
  command -v "$browser" >/dev/null || missing+=("$browser")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "Please install ${missing[*]}: apt-get is not available" >&2
  exit 1
fi
sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)
"${sudo[@]}" apt-get update -qq
# Debian's Firefox only recommends the library with which it plays videos. Its name has a version.
codecs=$(apt-cache search --names-only '^libavcodec[0-9]+$' | grep -oE '^libavcodec[0-9]+' | sort -V | tail -1)
DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" "$codecs" >/dev/null
