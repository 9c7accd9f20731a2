import { expect, test } from 'vitest';

import { Updates } from '../../../commands/acp/updates.js';
import type { SessionEvent } from '../../../src/core/index.js';
import { emptyState, fold, toolRef } from '../../../src/core/index.js';

const REF = toolRef('c1');
const EDIT = { path: 'a.txt', oldText: 'two', newText: 'three' };

const replyOf = (name: string, input: object): SessionEvent => ({
  type: 'message-added',
  message: {
    role: 'model',
    content: [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'I do.\u202e' },
      { type: 'tool-request', ref: REF, name, input: { ...input } },
    ],
  },
  end: 'tool-use',
});

const startedOf = (name: string, input: object): SessionEvent => ({
  type: 'tool-started',
  ref: REF,
  name,
  attempt: 1,
  input: { ...input },
  effect: 'once',
  idempotencyKey: 'k',
  startedAt: '2026-01-02T03:04:05.000Z',
});

const settled: SessionEvent = {
  type: 'tool-settled',
  ref: REF,
  outcome: { type: 'output', output: 'done ``` it' },
};

const said: SessionEvent = {
  type: 'message-added',
  message: { role: 'user', content: [{ type: 'text', text: 'do it' }] },
};

const FACTS = {
  title: 'Edit a.txt',
  name: 'edit_file',
  kind: 'edit',
  locations: [{ path: '/projects/a.txt' }],
  rawInput: EDIT,
};

const CALL = [
  { sessionUpdate: 'tool_call', toolCallId: 'c1', status: 'pending', ...FACTS },
  { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'in_progress', ...FACTS },
  {
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c1',
    status: 'completed',
    content: [
      { type: 'diff', path: '/projects/a.txt', oldText: 'two', newText: 'three' },
      { type: 'content', content: { type: 'text', text: '````\ndone ``` it\n````' } },
    ],
    rawOutput: 'done ``` it',
  },
];

const WORDS = [
  { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } },
  { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I do.\\u{202E}' } },
];

test('a reply, its call and the result become updates, with its file and its change', () => {
  const updates = new Updates('/projects');
  const events = [said, replyOf('edit_file', EDIT), startedOf('edit_file', EDIT), settled];
  expect(events.flatMap((event) => updates.event(event, emptyState()))).toEqual([...WORDS, ...CALL]);
});

test('text that was streamed is not told again', () => {
  const updates = new Updates('/projects');
  const streamed = [
    ...updates.transient({ type: 'reasoning-delta', text: 'hm' }),
    ...updates.transient({ type: 'text-delta', text: 'I do.\u202e' }),
  ];
  expect(streamed).toEqual(WORDS);
  expect(updates.event(replyOf('edit_file', EDIT), emptyState())).toEqual([CALL[0]]);
  expect(updates.event(replyOf('edit_file', EDIT), emptyState())).toEqual([...WORDS, CALL[0]]);
});

test('the past of a session is told as it was, without what only ran', () => {
  const events = [said, replyOf('edit_file', EDIT), startedOf('edit_file', EDIT), settled];
  const told = [...new Updates('/projects').replayed(fold(events))];
  expect(told).toEqual([
    { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'do it' } },
    ...WORDS,
    CALL[0],
    CALL[2],
  ]);
});

test('steps of the model are a plan', () => {
  const updates = new Updates('/projects');
  const input = {
    items: [{ text: 'look', state: 'done' }, { text: 'build', state: 'doing' }, { text: 'ship' }],
  };
  updates.event(replyOf('todo', input), emptyState());
  expect(updates.event(settled, emptyState()).at(-1)).toEqual({
    sessionUpdate: 'plan',
    entries: [
      { content: 'look', priority: 'medium', status: 'completed' },
      { content: 'build', priority: 'medium', status: 'in_progress' },
      { content: 'ship', priority: 'medium', status: 'pending' },
    ],
  });
});

test('a long result is cut, and says so', () => {
  const updates = new Updates('/projects');
  updates.event(replyOf('fetch_url', { url: 'https://example.org' }), emptyState());
  const outcome = { type: 'output', output: 'x'.repeat(60_000) } as const;
  const [told] = updates.event({ type: 'tool-settled', ref: REF, outcome }, emptyState());
  expect(JSON.stringify(told)).toContain('… 50000 more characters');
  expect(told).not.toHaveProperty('rawOutput');
});

test('what had not ended when the run did is told to have failed', () => {
  const updates = new Updates('/projects');
  updates.event(replyOf('edit_file', EDIT), emptyState());
  const ended: SessionEvent = { type: 'run-ended', reason: { type: 'aborted' } };
  const failed = [{ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'failed' }];
  expect(updates.event(ended, emptyState())).toEqual(failed);
  expect(updates.event(ended, emptyState())).toEqual([]);
});
