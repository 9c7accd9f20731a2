import { getEventListeners } from 'node:events';

import { expect, test } from 'vitest';

import { SignalFan } from '../../src/engine/index.js';

test('a signal of many children is listened to once, and all of them abort with its reason', () => {
  const parent = new AbortController();
  const fan = new SignalFan(parent.signal);
  const children = Array.from({ length: 100 }, () => fan.child());
  expect(getEventListeners(parent.signal, 'abort')).toHaveLength(1);
  parent.abort('enough');
  const late = fan.child();
  expect([...children, late].map(({ reason }) => reason as unknown)).toEqual(Array(101).fill('enough'));
});

test('children that were released do not abort any more', () => {
  const parent = new AbortController();
  const fan = new SignalFan(parent.signal);
  const child = fan.child();
  fan.release();
  parent.abort();
  expect({ aborted: child.aborted, listeners: getEventListeners(parent.signal, 'abort').length }).toEqual({
    aborted: false,
    listeners: 0,
  });
});
