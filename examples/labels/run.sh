#!/usr/bin/env bash
# Labels 200 items; of six of them a person says what they are.
here=$(cd "$(dirname "$0")" && pwd)
command -v hitl > /dev/null || hitl() { node "$here/../../dist/bin/hitl.js" "$@"; }
hitl run "$here/flow.ts" --trust --set items=200 --model demo --quiet < "$here/answers.txt"
