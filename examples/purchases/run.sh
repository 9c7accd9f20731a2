#!/usr/bin/env bash
# Twenty agents with a scripted model: ten questions are open at once, some are answered, and the rest later.
here=$(cd "$(dirname "$0")" && pwd)
command -v hitl > /dev/null || hitl() { node "$here/../../dist/bin/hitl.js" "$@"; }
hitl run "$here/flow.ts" --trust --set "input=$(cat "$here/things.json")" --model "script:$here/model.jsonl" \
  --answers "$here/first.jsonl" --quiet < /dev/null 2> /dev/null || test $? -eq 3 || exit
hitl inbox --json | node -p '`${JSON.parse(fs.readFileSync(0)).length} are open`'
hitl resume --last --trust --answers "$here/rest.jsonl" --quiet < /dev/null
sort purchases.txt
