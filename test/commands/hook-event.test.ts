import { Readable } from 'node:stream';

import { describe, expect, test } from 'vitest';

import { readEvent } from '../../commands/hook/event.js';
import type { Io } from '../../commands/host/index.js';

const GOOD = {
  ...{ session_id: '0b1c', cwd: '/shop', permission_mode: 'default', tool_use_id: 'toolu_1' },
  ...{ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } },
};
const READ = {
  ...{ agent: 'claude-code', event: 'PreToolUse', session: '0b1c', folder: '/shop', tool: 'Bash' },
  ...{ input: { command: 'ls' }, call: 'toolu_1', mode: 'default' },
};
const BROKEN = { event: 'broken' };

/** Reads what an agent wrote, in pieces as a pipe brings it. */
async function read(...pieces: readonly (string | Buffer)[]) {
  const stdin = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  return readEvent({ stdin } as unknown as Io, 'claude-code');
}

describe('a hostile event of a hook', () => {
  test.for([
    ['a control character', 'Ba\u001b[2Jsh'],
    ['a bidi override', 'Ba\u202Esh'],
    ['a line break', 'Ba\nsh'],
    ['a zero width character', 'Ba\u200Bsh'],
    ['10 MB', 'x'.repeat(10_000_000)],
    ['no text', 7],
    ['nothing', ''],
  ] as const)('is refused with %s in a name that people see', async ([, name]) => {
    for (const key of ['tool_name', 'session_id', 'tool_use_id'])
      expect(await read(JSON.stringify({ ...GOOD, [key]: name })), key).toEqual(BROKEN);
  });

  test.for([
    ['a relative folder', { cwd: '.' }],
    ['no folder', { cwd: null }],
    ['a list as input', { tool_input: ['ls'] }],
    ['a text as input', { tool_input: 'ls' }],
    ['no session', { session_id: undefined }],
  ] as const)('is refused with %s', async ([, wrong]) => {
    expect(await read(JSON.stringify({ ...GOOD, ...wrong }))).toEqual(BROKEN);
  });

  test('is refused when it is longer than a written file can be, and read no further', async () => {
    let taken = 0;
    function* endless() {
      for (;;) {
        taken += 1;
        yield Buffer.alloc(1_000_000, 0x20);
      }
    }
    const stdin = Readable.from(endless(), { highWaterMark: 1 });
    expect(await readEvent({ stdin } as unknown as Io, 'codex')).toEqual(BROKEN);
    expect(taken).toBeLessThan(20);
  });

  test('gives its keys no power over objects', async () => {
    const text = JSON.stringify(GOOD).replace('"command"', '"__proto__":{"isWhole":true},"command"');
    const event = await read(text);
    expect(Object.hasOwn({}, 'isWhole')).toBe(false);
    expect(event).not.toHaveProperty('input.isWhole');
    expect(await read('{"__proto__":{"hook_event_name":"PreToolUse"}}')).not.toHaveProperty('input');
    expect(await read(JSON.stringify({ ...GOOD, hook_event_name: 'constructor' }))).toEqual({
      event: 'unknown',
    });
  });

  test('has one reading: a key that it says twice is none', async () => {
    const twice = JSON.stringify(GOOD).replace('{', '{"tool_name":"Read",');
    expect(await read(twice)).toEqual(BROKEN);
  });
});

test('an event that comes in pieces, cut within a character, is read whole', async () => {
  const bytes = Buffer.from(JSON.stringify({ ...GOOD, tool_input: { command: 'echo ü' } }));
  const at = bytes.indexOf(0xc3) + 1;
  expect(await read(bytes.subarray(0, at), bytes.subarray(at))).toEqual({
    ...READ,
    input: { command: 'echo ü' },
  });
});
