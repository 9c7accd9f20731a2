import { describe, expect, test } from 'vitest';

import { nodePath, openInterrupts } from '../../src/core/index.js';
import { MemoryInbox } from '../helpers/memory-inbox.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { answer, calls, drive, scene, tool } from './drive.js';

const hi = stateAfter(userSaid('hi'));

/** A chat whose model calls a tool and then ends; while the tool runs something is sent. */
function chat(send: (inbox: MemoryInbox) => void) {
  const inbox = new MemoryInbox();
  const look = tool('look', () => {
    send(inbox);
    return 'seen';
  });
  const options = scene({ replies: [calls(['look']), 'done'], tools: [look] });
  return { inbox, options: { ...options, steering: { inbox, path: nodePath('') } } };
}

describe('what others send to a chat', () => {
  test('reaches the model as words of the user, between its turns (Q-10)', async () => {
    const { inbox, options } = chat((to) => {
      to.send('be brief');
    });
    const { state, events } = await drive(hi, options);
    expect([...state.entries].map(({ message }) => message.role)).toEqual([
      'user',
      'model',
      'tool',
      'user',
      'model',
    ]);
    const batch = events
      .filter(({ type }) => type.startsWith('inbox') || type === 'message-added')
      .slice(1, 4);
    expect(batch.map(({ type }) => type)).toEqual(['inbox-delivered', 'message-added', 'inbox-settled']);
    expect(inbox.points.map(({ phase }) => phase)).toEqual(['turn', 'turn', 'turn']);
  });

  test('pauses it: a question that can be answered with words for the model', async () => {
    const { options } = chat((to) => {
      to.sendVerb('pause');
    });
    const { state } = await drive(hi, options);
    expect(openInterrupts(state)).toMatchObject([{ kind: 'pause', payload: { by: 'ann' } }]);
    const { state: after } = await drive(answer(state, { action: 'rerun', guidance: 'shorter' }), options);
    expect([...after.entries].at(-2)?.message).toMatchObject({
      role: 'user',
      content: [{ text: 'shorter' }],
    });
    expect(after.ended).toEqual({ type: 'done' });
  });

  test('a pause can be answered with cancel: the run ends, and nothing is asked any more', async () => {
    const { options } = chat((to) => {
      to.sendVerb('pause');
    });
    const { state } = await drive(hi, options);
    const { state: after } = await drive(answer(state, { action: 'cancel' }), options);
    expect({ ended: after.ended, open: openInterrupts(after) }).toEqual({
      ended: { type: 'aborted' },
      open: [],
    });
  });

  test('ends it at the safe point', async () => {
    const { options } = chat((to) => {
      to.sendVerb('cancel');
    });
    const { state } = await drive(hi, options);
    expect(state.ended).toEqual({ type: 'aborted' });
  });

  test('is refused and told where a chat cannot do it', async () => {
    const { options } = chat((to) => {
      to.act({ action: 'skip' });
    });
    const { events, state } = await drive(hi, options);
    expect(events.find(({ type }) => type === 'inbox-settled')).toMatchObject({
      outcome: { type: 'refused', why: expect.stringContaining('skip') as string },
    });
    expect(state.ended).toEqual({ type: 'done' });
  });
});
