import { describe, expect, test } from 'vitest';

import type { Interrupt, JsonValue, RunState, SessionEvent, Tool } from '../../src/core/index.js';
import {
  digestCovers,
  emptyState,
  evolve,
  interruptId,
  openInterrupts,
  readTranscript,
  titleOf,
  transcriptMessages,
} from '../../src/core/index.js';
import { stateAfter, userSaid } from '../helpers/events.js';
import { AT } from '../helpers/events.js';
import { answer, calls, drive, scene, tool } from './drive.js';

const INPUT = { to: 'ABC123', amount: 200 };
const hi = stateAfter(userSaid('hi'));

type Title = (input: JsonValue) => string;
const sentence: Title = (input) => {
  const { amount, to } = input as { amount: number; to: string };
  return `Transfer ${amount} to ${to}`;
};

/** A tool whose gate asks before its body does, and whose body fails when it was agreed to twice. */
function transfer(title: Title, needsApproval = true): Tool {
  const body: Parameters<typeof tool>[1] = (_input, context) => {
    if (context.resumed === undefined) return context.interrupt({ sure: true });
    throw new Error('no money');
  };
  return tool('transfer', body, { title, needsApproval });
}

function asking(title: Title, needsApproval = true) {
  return scene({
    replies: [calls(['transfer', INPUT])],
    tools: [transfer(title, needsApproval)],
    onToolError: 'ask',
  });
}

function first(state: RunState): Interrupt {
  const [interrupt] = openInterrupts(state);
  if (interrupt === undefined) throw new Error('nothing is open');
  return interrupt;
}

const ownTitle = ({ source }: Interrupt): string | undefined =>
  source.type === 'tool' ? source.title : undefined;

describe('the title that a tool gives its call', () => {
  test('stands on every question about it, and with its start', async () => {
    const options = asking(sentence);
    const gate = await drive(hi, options);
    const body = await drive(answer(gate.state, { action: 'restart' }), options);
    const failed = await drive(answer(body.state, { action: 'restart' }), options);
    const asked = [gate, body, failed].map(({ state }) => first(state));
    const told = asked.map((one) => [one.kind, ownTitle(one), titleOf(one).text]);
    const text = 'Transfer 200 to ABC123';
    expect(told).toEqual([
      ['confirmation', text, text],
      ['confirmation', text, text],
      ['error', text, text],
    ]);
    const starts = [...body.events, ...failed.events].filter((event) => event.type === 'tool-started');
    expect(starts.map(({ title }) => title)).toEqual([text, text]);
  });

  test('stands on the question what became of it after a crash', async () => {
    const options = asking(sentence, false);
    const died: { state?: RunState } = {};
    await drive(hi, options, {
      kept: (event: SessionEvent, state) => {
        if (event.type === 'tool-started') died.state = state;
      },
    });
    const { state } = await drive(died.state ?? emptyState(), options);
    expect([first(state).kind, ownTitle(first(state))]).toEqual(['in-doubt', 'Transfer 200 to ABC123']);
  });

  test('is part of what an answer holds for', async () => {
    const { state } = await drive(hi, asking(sentence));
    const interrupt = first(state);
    const { source } = interrupt;
    const forged = { ...interrupt, source: { ...source, title: 'Transfer 2 to ABC123' } } as Interrupt;
    expect([digestCovers(interrupt), digestCovers(forged)]).toEqual(['whole', 'none']);
  });

  test('is the one of the edited input where that is asked about again', async () => {
    const options = asking(sentence);
    const gate = await drive(hi, options);
    const edited = answer(gate.state, { action: 'restart', input: { to: 'DEF456', amount: 150 } });
    const { state } = await drive(edited, options);
    expect(ownTitle(first(state))).toBe('Transfer 150 to DEF456');
  });

  test.for<[string, Title, string | undefined]>([
    ['one that throws', () => notThere(), undefined],
    ['one that is no text', () => 7 as never, undefined],
    ['one that comes later', () => Promise.reject(new Error('late')) as never, undefined],
    ['one without a letter', () => ' \n ', undefined],
    ['one of several lines', () => 'Transfer\n\n  200\tnow', 'Transfer 200 now'],
    ['one with a carriage return (B8)', () => 'rm -rf ~/work\rls -la', 'rm -rf ~/work\rls -la'],
    ['one that ends its lines as Windows does', () => 'Pay\r\n200', 'Pay 200'],
    ['one with odd spaces (B8)', () => 'Pay\u3000\u00A0200', 'Pay\u3000\u00A0200'],
    ['one that is too long', () => 'x'.repeat(100_000), `${'x'.repeat(199)}…`],
    ['one with half a sign', () => 'a\uD83Db', 'a\uFFFDb'],
  ])('is one line of at most 200 characters, or none: %s', async ([, title, kept]) => {
    const { state } = await drive(hi, asking(title));
    expect(ownTitle(first(state))).toBe(kept);
  });

  test('is spelled out where it is shown', async () => {
    const { state } = await drive(
      hi,
      asking(() => 'Pay\u001B[2J \u202E12\r\u300034'),
    );
    expect(titleOf(first(state)).text).toBe('Pay\\u{1B}[2J \\u{202E}12\\u{D}\\u{3000}34');
  });

  test('comes back with a transcript of our own', async () => {
    const { state } = await drive(hi, asking(sentence));
    const read = readTranscript(transcriptMessages(state), AT, 'own');
    const [call] = read.open?.calls ?? [];
    expect(call?.state).toEqual({
      status: 'interrupted',
      interrupt: { ...first(state), id: interruptId('i1') },
    });
  });
});

function notThere(): never {
  throw new Error('no title');
}

describe('what a title shows of an input', () => {
  const shows = (title: string, input: JsonValue): readonly string[] => {
    const state = evolve(hi, {
      type: 'message-added',
      message: { role: 'model', content: [{ type: 'tool-request', ref: 'r1' as never, name: 't', input }] },
    });
    expect(state.open).toBeDefined();
    const source = { type: 'tool', ref: 'r1', name: 't', input, raisedBy: 'tool', title } as const;
    return titleOf({ source, kind: 'confirmation', payload: true } as never).shows;
  };

  test.for<[string, JsonValue, readonly string[]]>([
    ['Transfer 200 to ABC123', INPUT, ['to', 'amount']],
    ['Pay $200, to "ABC123".', INPUT, ['to', 'amount']],
    ['Transfer 2000 to ABC1234', INPUT, []],
    ['Transfer 200 to ann', { amount: 200, fee: 200, to: 'ann' }, ['amount']],
    ['Send to all', { mode: 'to', how: 'all' }, []],
    ['Send ABC 1 now', { to: 'ABC 1' }, []],
    ['Write src/cart.js', { path: 'src/cart.js' }, ['path']],
  ])('is a name or a number that stands in it for itself: %s', ([title, input, shown]) => {
    expect(shows(title, input)).toEqual(shown);
  });
});
