import { describe, expect, test } from 'vitest';

import type { Io, LogForm } from '../../commands/host/index.js';
import { logLines, tell } from '../../commands/host/index.js';
import { listenPlace } from '../../commands/flags/flag-values.js';
import { checkSessionId, escapeText, shown } from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';

function written(form?: LogForm) {
  const texts: string[] = [];
  const stderr = { write: (text: string) => texts.push(text), columns: 20 };
  const clock = fakeClock({ start: Date.UTC(2026, 1, 1) });
  const lines = logLines({ stderr, stdout: stderr, clock } as unknown as Io, form);
  return { ...lines, texts };
}

describe('lines of a program that stays', () => {
  test('are words without a time, for people and for journald', () => {
    const { io, log, texts } = written();
    log(shown`worker: gone`, { level: 'warn', session: checkSessionId('01kb0000000000000000000000') });
    tell(io.stderr, shown`as it was`);
    expect(texts).toEqual(['worker: gone\n', 'as it was\n']);
  });

  test('are JSON with time, level and session where that is asked for, whoever writes them', () => {
    const { io, log, texts } = written('json');
    log(shown`worker: ${escapeText('a\u001b[31m"b"')}`, {
      level: 'warn',
      session: checkSessionId('01kb0000000000000000000000'),
    });
    tell(io.stderr, shown`a line that is longer than a terminal is wide`);
    tell(io.stderr, shown`error: it fails\nhint: try`);
    const time = '2026-02-01T00:00:00.000Z';
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      { time, level: 'warn', session: '01kb0000000000000000000000', message: 'worker: a\\u{1B}[31m"b"' },
      { time, level: 'info', message: 'a line that is longer than a terminal is wide' },
      { time, level: 'error', message: 'error: it fails\nhint: try' },
    ]);
    expect(texts.every((text) => text.indexOf('\n') === text.length - 1)).toBe(true);
  });
});

describe('--listen of a worker', () => {
  test.each([
    ['9464', { address: '127.0.0.1', port: 9464 }],
    ['0.0.0.0:9464', { address: '0.0.0.0', port: 9464 }],
    ['[::1]:0', { address: '::1', port: 0 }],
  ])('reads %s', (text, place) => {
    expect(listenPlace(text)).toEqual(place);
  });

  test.each(['', ':', ':9464', '127.0.0.1', '::1:80', '1.2.3.4:70000', 'a b:80'])('refuses `%s`', (text) => {
    expect(() => listenPlace(text)).toThrow('must be an address and a port, such as 127.0.0.1:9464.');
  });
});
