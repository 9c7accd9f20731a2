import { expect, test } from 'vitest';

import { openInterrupts, sessionRuleText } from '../../src/core/index.js';
import { addedRule } from '../../src/repl/conversation.js';
import { defineTool, toolSet } from '../../src/tools/index.js';
import { answerTo, calls, drive, scene } from '../engine/drive.js';
import { AT, stateAfter, userSaid } from '../helpers/events.js';

test('a rule of first words names the folder in which it counts', async () => {
  const run = defineTool(
    {
      name: 'run_command',
      description: 'Runs.',
      input: { type: 'object', properties: { argv: { type: 'array', items: { type: 'string' } } } },
      approval: () => ({ facts: { 'working directory': '/proj', program: '/bin/npm' } }),
    },
    () => 'ran',
  );
  const options = scene({
    replies: [calls(['run_command', { argv: ['npm', 'test'] }]), 'done'],
    tools: [run],
  });
  const { state } = await drive(stateAfter(userSaid('go')), options);
  const [open] = openInterrupts(state);
  if (open === undefined) throw new Error('nothing is asked');
  const answer = answerTo(open, { action: 'restart' });
  const events = addedRule(answer, 'words', { state, tools: toolSet([run]), at: AT });
  expect(
    events.map((event) =>
      event.type === 'rule-added' ? [event.rule.scope, sessionRuleText(event.rule)] : [],
    ),
  ).toEqual([
    [
      expect.objectContaining({ type: 'words', words: ['npm', 'test'], folder: '/proj' }),
      'always run_command npm test … in /proj',
    ],
  ]);
});
