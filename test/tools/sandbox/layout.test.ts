import { describe, expect, test } from 'vitest';

import { layoutOf } from '../../../src/tools/sandbox/layout.js';
import { escapedPath, mountPoints, reachable } from '../../../src/tools/sandbox/mount-table.js';

describe('a layout', () => {
  test('makes the folders above first, and one mount for each path', () => {
    expect(
      layoutOf([
        { path: '/tmp/project/.git/hooks', kind: 'read-only' },
        { path: '/tmp/project', kind: 'writable' },
        { path: '/tmp/project/state', kind: 'writable' },
        { path: '/tmp/project/state', kind: 'empty' },
        { path: '/tmp', kind: 'fresh' },
      ]),
    ).toEqual([
      { path: '/tmp', kind: 'fresh' },
      { path: '/tmp/project', kind: 'writable' },
      { path: '/tmp/project/state', kind: 'empty' },
      { path: '/tmp/project/.git/hooks', kind: 'read-only' },
    ]);
  });

  test('hides nothing twice', () => {
    expect(
      layoutOf([
        { path: '/run', kind: 'fresh' },
        { path: '/run/agent.socket', kind: 'nothing' },
        { path: '/home/ann/.aws', kind: 'empty' },
        { path: '/home/ann/.aws/credentials', kind: 'nothing' },
        { path: '/run/of/mine', kind: 'read-only' },
      ]),
    ).toEqual([
      { path: '/run', kind: 'fresh' },
      { path: '/home/ann/.aws', kind: 'empty' },
      { path: '/run/of/mine', kind: 'read-only' },
    ]);
  });
});

describe('a table of mounts', () => {
  const table = [
    '20 1 8:1 / / rw,relatime - ext4 /dev/sda rw',
    '21 20 0:5 / /tmp rw - tmpfs tmpfs rw',
    '22 20 0:6 / /home/a\\040b rw - tmpfs tmpfs rw',
    '23 22 0:7 / /home/a\\040b/sub rw - tmpfs tmpfs rw',
    '24 22 0:8 / /home/a\\040b rw - tmpfs tmpfs rw',
  ].join('\n');

  test('tells of the mounts that a path can lead to, not of those below others', () => {
    expect(reachable(mountPoints(`${table}\n`)).map(({ id }) => id)).toEqual(['20', '21', '24']);
  });

  test.for([
    ['/home/a b', '/home/a\\040b'],
    ['/a\tb\nc\\d#e', '/a\\011b\\012c\\134d\\043e'],
    ['/größe', '/größe'],
  ])('writes %j as the kernel does', ([path, escaped]) => {
    expect(escapedPath(path!)).toBe(escaped);
  });
});
