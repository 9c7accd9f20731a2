// The tree of operations in its places, as a person sees them at 80 columns. `npx vitest run test/screen/golden/tree -u`
// writes them anew: look at the difference before it is committed.
import { describe, expect, test } from 'vitest';

import { effectsText } from '../../../commands/report/effects.js';
import { columnsOf, openInterrupts, operationTree } from '../../../src/core/index.js';
import { drawGraph } from '../../../src/graph/index.js';
import { oneLineOf, questionView, renderQuestionPlain } from '../../../src/human/index.js';
import { createTheme, rowsWithin, effectTree, transcriptText } from '../../../src/render/index.js';
import { effectsOf } from '../../../src/repl/index.js';
import { deploy, told } from './tree-scene.js';
import type { Told } from './tree-scene.js';

const COLUMNS = 80;
const theme = createTheme({ colour: false });

/** Every place in which the tree of a session stands. */
function places({ state, events, times }: Told): string {
  const { graph, resolved } = state;
  if (graph === undefined) throw new Error('no workflow');
  const tree = operationTree(graph, { resolved: resolved.toArray(), times });
  const look = { theme, columns: COLUMNS };
  const questions = openInterrupts(state).map(
    (interrupt) =>
      `${oneLineOf(interrupt)}\n\n${renderQuestionPlain(questionView(interrupt, state, { now: NOW }))}\n`,
  );
  return [
    ['hitl show', rowsWithin(transcriptText(state, look, { times }), COLUMNS)],
    [
      'hitl show --effects',
      effectsText({ tools: effectsOf(events), past: [], tree: effectTree(tree.roots, look) }),
    ],
    ['hitl graph --session', drawGraph(deploy, { format: 'text', state: graph, tree, columns: COLUMNS })],
    ['hitl graph --session --format mermaid', drawGraph(deploy, { format: 'mermaid', state: graph, tree })],
    ['the question', questions.join('\n')],
  ]
    .map(([heading = '', text = '']) => `=== ${heading}\n${text}`)
    .join('\n');
}

const NOW = Date.parse('2026-01-02T03:14:00.000Z');
const ANSWERS = [{ say: '7' }, { say: 'yes' }, { say: 'yes' }];

describe('the tree of operations', () => {
  test.for([
    ['in-doubt', 3],
    ['waits', Infinity],
  ] as const)('is one in all its places: %s', async ([name, dieAfter]) => {
    const text = places(await told(deploy, ANSWERS, dieAfter));
    await expect(text).toMatchFileSnapshot(`screens/tree-${name}.txt`);
    const shown = text.slice(0, text.indexOf('=== hitl graph --session --format'));
    expect(shown.split('\n').filter((line) => columnsOf(line) > COLUMNS)).toEqual([]);
  });
});
