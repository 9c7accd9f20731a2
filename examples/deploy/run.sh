#!/usr/bin/env bash
# Plays the workflow with scripted answers: two hosts are well, the third is not.
here=$(cd "$(dirname "$0")" && pwd)
command -v hitl > /dev/null || hitl() { node "$here/../../dist/bin/hitl.js" "$@"; }
hitl run "$here/flow.ts" --trust --set 'hosts=["a","b","c"]' --model demo --quiet < "$here/answers.txt"
