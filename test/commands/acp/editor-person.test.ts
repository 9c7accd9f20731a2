import { expect, test } from 'vitest';

import { EditorChannel } from '../../../commands/acp/editor-person.js';
import type { Actor } from '../../../src/core/index.js';
import { checkSessionId, emptyState, HitlError } from '../../../src/core/index.js';
import { callInterrupt, question } from '../../human/open-interrupt.js';

const ANN: Actor = { type: 'person', name: 'ann', via: 'editor' };

/** An editor whose dialogs answer with what is given, one after another; without more they stay open. */
function editor({ dialogs = [], forms }: { dialogs?: readonly unknown[]; forms?: readonly unknown[] } = {}) {
  const said: string[] = [];
  const opened: string[] = [];
  const answers = [...dialogs];
  const filled = [...(forms ?? [])];
  const next = (from: unknown[], signal: AbortSignal): Promise<unknown> =>
    from.length > 0
      ? Promise.resolve(from.shift())
      : new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            resolve({ outcome: 'selected', optionId: 'y' }); // too late
          });
        });
  const channel = new EditorChannel({
    link: {
      hasForms: forms !== undefined,
      ask: (toolCall, _options, signal) => {
        opened.push(toolCall.toolCallId);
        return next(answers, signal);
      },
      fill: (_form, toolCallId, signal) => {
        opened.push(`form ${toolCallId}`);
        return next(filled, signal);
      },
      say: (text) => {
        said.push(text);
      },
    },
    actor: () => ANN,
    place: (state) => ({
      ...{ session: checkSessionId('01m8g65zrnh6b1bs'), state, cwd: '/projects', rules: [], now: 0 },
      place: { folder: '/projects', home: '/home/ann' },
    }),
  });
  return { channel, said, opened };
}

const PAY = callInterrupt({ to: 'Bob' });
const never = () => new AbortController().signal;

test('a yes is bound to what the dialog showed', async () => {
  const { channel } = editor({ dialogs: [{ outcome: 'selected', optionId: 'y' }] });
  expect(await channel.ask([PAY], emptyState(), never())).toEqual({
    type: 'answered',
    answer: { id: 'i1', digest: PAY.digest, resolution: { action: 'restart' }, by: ANN },
  });
});

test('an answer from elsewhere closes the dialog, and what is chosen after that is ignored and told', async () => {
  const { channel, said } = editor();
  const withdraw = new AbortController();
  const asked = channel.ask([PAY], emptyState(), withdraw.signal);
  withdraw.abort(new HitlError('ALREADY_ANSWERED', 'answered elsewhere by ben: approved'));
  expect(await asked).toEqual({ type: 'left-open', why: 'answered elsewhere by ben: approved' });
  await expect
    .poll(() => said)
    .toEqual(['Answered elsewhere by ben: approved.', 'Ignored: your answer to i1 came too late.']);
});

test('a wrong answer decides nothing, is asked about no more, and waits for another door', async () => {
  const { channel, said, opened } = editor({ dialogs: [{ outcome: 'selected', optionId: 'sudo' }] });
  const stop = new AbortController();
  const asked = channel.ask([PAY], emptyState(), stop.signal);
  await expect.poll(() => said.length).toBe(2);
  stop.abort(new DOMException('stopped by the user', 'AbortError'));
  expect(await asked).toEqual({ type: 'left-open', why: 'stopped by the user' });
  expect({ said, opened }).toEqual({
    said: [
      'Not answered: the editor chose an option that was not offered.',
      'Waiting for an answer to “transfer  Bob”: `hitl show 01m8g65zrnh6b1bs` in a terminal.',
    ],
    opened: ['call-i1'],
  });
});

test('a dialog that the editor closes leaves the question open', async () => {
  const { channel } = editor({ dialogs: [{ outcome: 'cancelled' }] });
  expect(await channel.ask([PAY], emptyState(), never())).toEqual({
    type: 'left-open',
    why: 'the editor closed the question',
  });
});

test('a question is opened three times at most', async () => {
  const no = { outcome: 'selected', optionId: 'n' };
  const { channel, opened } = editor({ dialogs: [no, no, no, no] });
  for (let count = 0; count < 3; count += 1) await channel.ask([PAY], emptyState(), never());
  const stop = new AbortController();
  const asked = channel.ask([PAY], emptyState(), stop.signal);
  stop.abort();
  expect(await asked).toMatchObject({ type: 'left-open' });
  expect(opened).toHaveLength(3);
});

test('text is asked for by a form where the editor has one', async () => {
  const { channel, opened } = editor({ forms: [{ action: 'accept', content: { answer: 'eu' } }] });
  const asked = question({ question: 'Which region?' });
  expect(await channel.ask([asked], emptyState(), never())).toMatchObject({
    answer: { resolution: { action: 'respond', output: 'eu' } },
  });
  expect(opened).toEqual(['form call-i1']);
});
