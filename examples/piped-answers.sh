#!/usr/bin/env bash
# A session from a script: user turns and answers are lines of stdin, in the order in which a person would type them.
# Nothing is approved because input was missing: the second session stays open, with status 3.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
command -v hitl > /dev/null || hitl() { node "$here/../dist/bin/hitl.js" "$@"; }

echo '== every answer is there'
printf '%s\n' 'Transfer 200 to ABC123' y | hitl chat --model demo --quiet

echo '== the answer is missing'
status=0
hitl chat --model demo --quiet --print 'Transfer 300 to DEF456' < /dev/null 2> /dev/null || status=$?
echo "status $status"

echo '== it comes later, with another amount'
hitl resume --last --quiet <<< 'edit +{"amount":150}'

echo '== rejected, with a reason that the model is told'
printf '%s\n' 'Transfer 400 to GHI789' 'n use the savings account' | hitl chat --model demo --quiet
