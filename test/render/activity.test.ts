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
