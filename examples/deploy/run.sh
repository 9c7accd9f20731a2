#!/usr/bin/env bash
# Plays the workflow with scripted answers: the first batch of two hosts is well, the second is not.
here=$(cd "$(dirname "$0")" && pwd)
command -v hitl > /dev/null || hitl() { node "$here/../../dist/bin/hitl.js" "$@"; }
hitl run "$here/flow.ts" --trust --set 'hosts=["a","b","c","d"]' --model demo --quiet < "$here/answers.txt"
