#!/usr/bin/env bash
# Plays the workflow with scripted answers; there is no model in it: run.sh [flow.yaml]
here=$(cd "$(dirname "$0")" && pwd)
command -v hitl > /dev/null || hitl() { node "$here/../../dist/bin/hitl.js" "$@"; }
hitl run "$here/${1:-flow.ts}" --trust shop --model demo --quiet < "$here/answers.txt"
