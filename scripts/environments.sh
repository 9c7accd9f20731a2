#!/usr/bin/env bash
# npm run test:environments [-- PATH...]: runs tests where a developer seldom is. A clone of the last commit in a folder
# with spaces, made with umask 077, runs them in another time zone, in Turkish where the machine has it, with 40 columns
# and without CI: as this user, and where that is root as a user without rights too. Default: the tests whose text names
# something of their surroundings.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
chmod 755 "$place"
umask 077

language=C
if locale -a 2> /dev/null | grep -qi '^tr_TR\.utf-\?8$'; then language=tr_TR.UTF-8; else echo 'skipped: no Turkish here'; fi

# tests_in FOLDER: the files whose tests can differ by where they run.
tests_in() {
  (cd "$1" && grep -rlE 'process\.env|toLocale|homedir|0o[0-7]{3}|COLUMNS|Date\(|umask|shell|tmpdir' test --include='*.test.ts') |
    grep -vE 'sweep|meta/(lint|layers)'
}

# here USER COMMAND...: clones, builds and runs as a user.
here() {
  local folder="$place/as $1/a clone" home="$place/as $1/home"
  mkdir -p "$folder" "$home"
  git clone -q . "$folder"
  cp -a node_modules "$folder/node_modules"
  local as=()
  if [ "$1" = nobody ]; then
    chown -R nobody "$place/as nobody"
    as=(setpriv --reuid nobody --clear-groups)
  fi
  local files=("${@:2}")
  if [ ${#files[@]} -eq 0 ]; then mapfile -t files < <(tests_in "$folder"); fi
  printf '\n== as %s, %s\n' "$1" "$language"
  (
    cd "$folder"
    export HOME="$home" TZ=Asia/Kolkata LANG="$language" LC_ALL="$language" COLUMNS=40
    unset CI XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME
    "${as[@]}" npm run --silent build
    "${as[@]}" npx vitest run "${files[@]}"
  )
}

status=0
here "$(id -un)" "$@" || status=1
if [ "$(id -u)" -eq 0 ]; then here nobody "$@" || status=1; fi
exit "$status"
