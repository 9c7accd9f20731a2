import { expect, test } from 'vitest';

import type { DialogPlace } from '../../../commands/acp/dialog.js';
import { dialogOf, formOf, readForm, readOutcome } from '../../../commands/acp/dialog.js';
import { checkSessionId, emptyState } from '../../../src/core/index.js';
import type { Interrupt } from '../../../src/core/index.js';
import { callInterrupt, interruptOf, question } from '../../human/open-interrupt.js';

const PLACE: DialogPlace = {
  session: checkSessionId('01m8g65zrnh6b1bs'),
  state: emptyState(),
  cwd: '/projects/shop',
  rules: [],
  place: { folder: '/projects/shop', home: '/home/ann' },
  now: 0,
};

const optionsOf = (interrupt: Interrupt, place = PLACE) =>
  dialogOf(interrupt, place).offers.map(({ option: { optionId, kind, name } }) => [optionId, kind, name]);

const textOf = (interrupt: Interrupt) =>
  (dialogOf(interrupt, PLACE).toolCall.content ?? [])
    .map((one) => (one.type === 'content' && one.content.type === 'text' ? one.content.text : ''))
    .join('');

const DIFF = '--- a\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n';
const WRITE = { path: 'a.txt', content: 'one\nthree\n' };

test('a dialog has everything of a question, its change, and yes and no', () => {
  const interrupt = callInterrupt(WRITE, {
    name: 'write_file',
    payload: { facts: { file: 'a.txt' }, diff: DIFF, warnings: ['it is read by git'] },
  });
  const { toolCall } = dialogOf(interrupt, PLACE);
  expect(toolCall).toMatchObject({
    toolCallId: 'call-i1',
    kind: 'edit',
    status: 'pending',
    locations: [{ path: '/projects/shop/a.txt' }],
    rawInput: WRITE,
    content: [
      { type: 'diff', path: '/projects/shop/a.txt', oldText: 'one\ntwo\n', newText: 'one\nthree\n' },
      { type: 'content' },
    ],
  });
  expect(textOf(interrupt)).toContain('it is read by git');
  expect(textOf(interrupt)).toContain('+ three');
  expect(optionsOf(interrupt).map(([id, kind]) => [id, kind])).toEqual([
    ['y', 'allow_once'],
    ['always call', 'allow_always'],
    ['n', 'reject_once'],
  ]);
});

test('what a question says cannot leave its fence, and control characters are spelled out', () => {
  const text = textOf(callInterrupt({ to: '```\n# Approved\u001b[2J\u202e' }));
  expect(text.startsWith('````\n')).toBe(true);
  expect(text).toContain('\\u{1B}');
  expect(text).toContain('\\u{202E}');
});

test('a question that does not fit is said to be cut, and cannot be approved there', () => {
  const interrupt = callInterrupt({ to: 'x\n'.repeat(3_000) });
  expect(optionsOf(interrupt)).toEqual([['n', 'reject_once', 'Reject']]);
  expect(textOf(interrupt)).toContain(
    'Not everything is shown, so this cannot be approved in the editor: hitl show 01m8g65zrnh6b1bs prints the full request and its digest',
  );
});

test('a rule that asks each time leaves no lasting approval', () => {
  const rules = [{ effect: 'ask' as const, tool: 'transfer', text: 'transfer', from: 'yours' }];
  expect(optionsOf(callInterrupt({ to: 'Bob' }), { ...PLACE, rules }).map(([id]) => id)).toEqual(['y', 'n']);
});

test('people who are named cannot be replaced by a rule, and a value that is needed by a yes', () => {
  const draft = {
    kind: 'confirmation' as const,
    source: callInterrupt({ to: 'Bob' }).source,
    payload: true,
  };
  expect(
    optionsOf(interruptOf({ ...draft, approvers: { need: 1, from: ['ben'] } })).map(([id]) => id),
  ).toEqual(['y', 'n']);
  const resumeSchema = { type: 'object', properties: { pin: { type: 'string' } } };
  expect(optionsOf(interruptOf({ ...draft, resumeSchema })).map(([id]) => id)).toEqual(['n']);
});

test('choices are options, and so are yes and no; other questions are forms', () => {
  const choice = question({ question: 'Where?' }, { type: 'string', enum: ['eu', 'us'] });
  expect(optionsOf(choice)).toEqual([
    ['answer 1', 'allow_once', 'eu'],
    ['answer 2', 'allow_once', 'us'],
    ['c', 'reject_once', 'Cancel'],
  ]);
  expect(readOutcome(dialogOf(choice, PLACE), { outcome: 'selected', optionId: 'answer 2' })).toEqual({
    type: 'answered',
    resolution: { action: 'respond', output: 'us' },
  });
  expect(optionsOf(question({ question: 'Sure?' }, { type: 'boolean' })).map(([, , name]) => name)).toEqual([
    'Yes',
    'No',
    'Cancel',
  ]);
  expect(optionsOf(question({ question: 'Why?' })).map(([id]) => id)).toEqual(['c']);
});

test('a form has the fields of its question, and no secret', () => {
  const fields = {
    type: 'object',
    properties: { name: { type: 'string', 'x-hidden': 1 }, seats: { type: 'integer', minimum: 1 } },
    required: ['name'],
  };
  const asked = question({ question: 'Book?' }, fields);
  const form = formOf(asked, PLACE);
  expect(form?.requestedSchema).toEqual({
    type: 'object',
    properties: { name: { type: 'string' }, seats: { type: 'integer', minimum: 1 } },
    required: ['name'],
  });
  expect(form && readForm(form, asked, { action: 'accept', content: { name: 'Ann' } })).toEqual({
    type: 'answered',
    resolution: { action: 'respond', output: { name: 'Ann' } },
  });
  expect(form && readForm(form, asked, { action: 'decline' })).toEqual({
    type: 'answered',
    resolution: { action: 'cancel' },
  });
  expect(form && readForm(form, asked, { action: 'cancel' })).toEqual({ type: 'closed' });
  expect(form && readForm(form, asked, 'yes')).toMatchObject({ type: 'refused' });
  const why = formOf(question({ question: 'Why?' }), PLACE);
  expect(why?.read({ answer: 'so' })).toEqual({ action: 'respond', output: 'so' });
  expect(formOf(question({ question: 'PIN?', secret: true }), PLACE)).toBeUndefined();
  const nested = { type: 'object', properties: { a: { type: 'object' } } };
  expect(formOf(question({ question: 'Deep?' }, nested), PLACE)).toBeUndefined();
});

test('a limit can be extended by as much again, or ends the run', () => {
  const limit = interruptOf({
    kind: 'limit',
    source: { type: 'run' },
    payload: { limit: 'turns', max: 50, spent: 50 },
  });
  expect(optionsOf(limit)).toEqual([
    ['extend', 'allow_once', 'Extend by 50 rounds'],
    ['c', 'reject_once', 'Stop'],
  ]);
});

test('a doubt is not approved: it is run again, or it failed', () => {
  expect(optionsOf(callInterrupt({ to: 'Bob' }, { kind: 'in-doubt', raisedBy: 'engine' }))).toEqual([
    ['r', 'allow_once', 'Run again'],
    ['n', 'reject_once', 'It failed'],
    ['c', 'reject_once', 'Cancel'],
  ]);
});

test('only an option that was offered answers', () => {
  const dialog = dialogOf(callInterrupt({ to: 'Bob' }), PLACE);
  for (const outcome of [
    { outcome: 'selected', optionId: 'yes' },
    { outcome: 'selected', optionId: '__proto__' },
    { outcome: 'approved', optionId: 'y' },
    { optionId: 'y' },
    null,
    'y',
    [],
  ])
    expect(readOutcome(dialog, outcome)).toEqual({
      type: 'refused',
      why: 'the editor chose an option that was not offered',
    });
  expect(readOutcome(dialog, { outcome: 'cancelled' })).toEqual({ type: 'closed' });
  expect(readOutcome(dialog, { outcome: 'selected', optionId: 'always call' })).toEqual({
    type: 'answered',
    resolution: { action: 'restart' },
    always: 'call',
  });
});
