import { expect, test } from 'vitest';

import type { RunState, SessionEvent, ToolRef } from '../../src/core/index.js';
import { Activity } from '../../src/render/activity.js';

function started(ref: string, name: string, more: object): SessionEvent {
  return {
    ...{ type: 'tool-started', ref: ref as ToolRef, name, attempt: 1, input: {}, effect: 'once' },
    ...{ idempotencyKey: ref, startedAt: '2026-01-01T00:00:00.000Z' },
    ...more,
  };
}

function told(...events: readonly SessionEvent[]): string | undefined {
  const activity = new Activity(() => 0);
  for (const event of events) activity.event(event, {} as RunState);
  return activity.current()?.text;
}

test('a call that runs is told by its title, one without by its name, several by their names', () => {
  const command = started('a', 'run_command', { input: { command: 'npm test' } });
  const titled = started('b', 'pay', { title: `Pay \u001B[2J${'x'.repeat(6)}` });
  const plain = started('c', 'look', {});
  expect(told(command)).toBe('Run `npm test`');
  expect(told(titled)).toBe(`Pay \\u{1B}[2J${'x'.repeat(6)}`);
  expect(told(plain)).toBe('running look');
  expect(told(command, plain)).toBe('running run_command, look');
});

test('a node whose body runs is told until it has ended, and what runs inside of it in its place', () => {
  const node = { node: 'check', visit: 1, scope: undefined };
  const entered = { ...node, type: 'node-started', attempt: 1 } as unknown as SessionEvent;
  const settled = { ...node, type: 'node-settled' } as unknown as SessionEvent;
  expect(told(entered)).toBe('check');
  expect(told(entered, started('c', 'look', {}))).toBe('running look');
  expect(told(entered, settled)).toBeUndefined();
});

test('a reply that streams is told with the tokens of the turn so far: counted where they are known, else about', () => {
  const activity = new Activity(() => 0);
  const state = { agent: { model: 'demo', tools: [] } } as unknown as RunState;
  const told = (): unknown => activity.current();
  const reply = (usage?: object): SessionEvent => ({
    type: 'message-added',
    message: { role: 'model', content: [] },
    ...(usage !== undefined && { usage: { inputTokens: 900, outputTokens: 50, ...usage } }),
  });
  activity.event({ type: 'model-started', attempt: 1 }, state);
  expect(told()).toEqual({ text: 'waiting for demo', since: 0 });
  for (const text of ['abc', 'defgh']) activity.transient({ type: 'text-delta', text });
  expect(told()).toEqual({ text: 'demo', since: 0, tokens: 2 });
  activity.event(reply({}), state);
  activity.event(started('a', 'look', {}), state);
  expect(told()).toEqual({ text: 'running look', since: 0, tokens: 50 });
  activity.event({ type: 'model-started', attempt: 1 }, state);
  activity.transient({ type: 'reasoning-delta', text: 'x'.repeat(40) });
  activity.event(reply(), state);
  expect(told()).toMatchObject({ tokens: 60 });
  activity.event({ type: 'message-added', message: { role: 'user', content: [] } }, state);
  expect(told()).toEqual({ text: 'running look', since: 0 });
});

test('a call is told with the last five lines that it printed', () => {
  const activity = new Activity(() => 0);
  activity.event(started('a', 'look', {}), {} as RunState);
  for (const text of ['1', '2', '3', '4', '5', '6'])
    activity.transient({ type: 'tool-progress', ref: 'a' as ToolRef, name: 'look', text });
  expect(activity.current()).toEqual({ text: 'running look', since: 0, latest: ['2', '3', '4', '5', '6'] });
});
