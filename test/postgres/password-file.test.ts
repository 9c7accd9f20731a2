import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { passwordFor } from '../../sessions/postgres/driver/password-file.js';

const FACTS = { host: 'db.example', port: 5432, database: 'hitl', user: 'ann' };

function home(text: string, mode = 0o600): { HOME: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'hitl-pgpass-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(path.join(folder, '.pgpass'), text);
  chmodSync(path.join(folder, '.pgpass'), mode);
  return { HOME: folder };
}

describe('the file of passwords, as libpq reads it', () => {
  test.each([
    ['db.example:5432:hitl:ann:secret', 'secret'],
    ['*:*:*:*:any', 'any'],
    ['# db.example:5432:hitl:ann:no\nother:*:*:*:no\n*:5432:hitl:ann:first\n*:*:*:*:second\n', 'first'],
    ['db.example:5432:hitl:ann:a\\:b\\\\c', 'a:b\\c'],
    ['db.example:5432:hitl:ann:a:b', 'a:b'],
    ['db.example:5433:hitl:ann:no', undefined],
    ['db.example:5432:hitl:bob:no', undefined],
    ['db.example:5432:hitl:ann:', undefined],
    ['db.example:5432:hitl', undefined],
  ])('%j', (text, password) => {
    expect(passwordFor(FACTS, home(text))).toBe(password);
  });

  test('a socket is `localhost`, and may be named', () => {
    expect(passwordFor({ ...FACTS, host: '/run/pg' }, home('localhost:*:*:*:here'))).toBe('here');
    expect(passwordFor({ ...FACTS, host: '/run/pg' }, home('/run/pg:*:*:*:here'))).toBe('here');
  });

  test('one that others may read is not taken from, and PGPASSFILE names another', () => {
    expect(passwordFor(FACTS, home('*:*:*:*:open', 0o644))).toBeUndefined();
    const { HOME } = home('*:*:*:*:named');
    expect(passwordFor(FACTS, { HOME: '/nowhere', PGPASSFILE: path.join(HOME, '.pgpass') })).toBe('named');
    expect(passwordFor(FACTS, { HOME: '/nowhere' })).toBeUndefined();
  });
});
