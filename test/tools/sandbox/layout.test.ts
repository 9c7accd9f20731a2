import { describe, expect, test } from 'vitest';

import { layoutOf } from '../../../src/tools/sandbox/mounts.js';

describe('a layout', () => {
  test('makes the folders above first, and one mount for each path', () => {
    expect(
      layoutOf([
        { path: '/tmp/project/.git/hooks', kind: 'read-only' },
        { path: '/tmp/project', kind: 'writable' },
        { path: '/tmp/project/state', kind: 'writable' },
        { path: '/tmp/project/state', kind: 'empty' },
        { path: '/tmp', kind: 'fresh' },
        { path: '/home/ann', kind: 'fresh' },
        { path: '/home/ann', kind: 'empty' },
      ]),
    ).toEqual([
      { path: '/tmp', kind: 'fresh' },
      { path: '/tmp/project', kind: 'writable' },
      { path: '/home/ann', kind: 'fresh' },
      { path: '/tmp/project/state', kind: 'empty' },
      { path: '/tmp/project/.git/hooks', kind: 'read-only' },
    ]);
  });

  test('hides only what is shown', () => {
    expect(
      layoutOf([
        { path: '/run', kind: 'fresh' },
        { path: '/run/agent.socket', kind: 'nothing' },
        { path: '/home/ann/.local/state/hitl', kind: 'empty' },
        { path: '/etc', kind: 'read-only' },
        { path: '/etc/shadow', kind: 'nothing' },
        { path: '/run/of/mine', kind: 'read-only' },
      ]),
    ).toEqual([
      { path: '/run', kind: 'fresh' },
      { path: '/etc', kind: 'read-only' },
      { path: '/etc/shadow', kind: 'nothing' },
      { path: '/run/of/mine', kind: 'read-only' },
    ]);
  });
});
