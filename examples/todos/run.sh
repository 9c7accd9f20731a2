#!/usr/bin/env bash
# Plays the workflow with a scripted model and scripted answers: run.sh [flow.yaml]
here=$(cd "$(dirname "$0")" && pwd)
command -v hitl > /dev/null || hitl() { node "$here/../../dist/bin/hitl.js" "$@"; }
hitl run "$here/${1:-flow.ts}" --trust 'repair the oven; clean the window; order flour' \
  --model "script:$here/model.jsonl" --quiet < "$here/answers.txt" 2>&1
