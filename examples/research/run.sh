#!/usr/bin/env bash
# Plays the workflow with a scripted model and scripted answers: run.sh [flow.yaml]
here=$(cd "$(dirname "$0")" && pwd)
command -v hitl > /dev/null || hitl() { node "$here/../../dist/bin/hitl.js" "$@"; }
hitl run "$here/${1:-flow.ts}" --trust 'Who grows tea?; What does tea cost?; How is tea taxed?' \
  --model "script:$here/model.jsonl" --answers "$here/answers.jsonl" --quiet < /dev/null
