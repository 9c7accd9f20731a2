// Ids of sessions as somebody may write them, and what stands in the place of a session.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { expect } from 'vitest';

import type { FileSystem } from '../../sessions/disk/file-system.js';
import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import type { SessionId } from '../../src/core/index.js';
import { isHitlError, isSessionId } from '../../src/core/index.js';
import { agent } from '../sessions/sample-events.js';
import { temporaryFolder, temporaryStore } from '../sessions/temporary-store.js';
import { fuzzTarget } from './fuzz.js';

const LEGAL = /^[a-z0-9][a-z0-9_-]{0,63}$/;

const ids = fc.oneof(
  fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,63}$/),
  fc.stringMatching(/^[-a-zA-Z0-9_./\\ %]{0,70}$/),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    '/etc/passwd',
    '-rf',
    '--help',
    'a\0b',
    'a\n',
    'A',
    'ａ',
    'con',
    '~',
    'x'.repeat(64),
    'x'.repeat(65),
    '%2e%2e',
    'a\u200b',
  ),
);

/** A disk that notes every path. */
function noting(paths: string[]): FileSystem {
  const real = nodeFileSystem();
  const noted =
    <Rest extends readonly unknown[], Result>(call: (file: string, ...rest: Rest) => Result) =>
    (file: string, ...rest: Rest) => {
      paths.push(file);
      return call(file, ...rest);
    };
  return {
    ...real,
    open: noted(real.open),
    lookUp: noted(real.lookUp),
    entries: noted(real.entries),
    makeFolder: noted(real.makeFolder),
    remove: noted(real.remove),
    removeFolder: noted(real.removeFolder),
    changeMode: noted(real.changeMode),
    rename: noted(real.rename),
  };
}

async function codeOf(call: () => unknown): Promise<string> {
  try {
    const result: unknown = await call();
    if (typeof result === 'object' && result !== null && Symbol.asyncDispose in result)
      await (result as AsyncDisposable)[Symbol.asyncDispose]();
    return 'ok';
  } catch (error) {
    if (isHitlError(error)) return error.code;
    throw error;
  }
}

fuzzTarget('session-ids', {
  'pass by their grammar alone, and never lead out of the folder of sessions (G32, T9, T10)': {
    runs: 300,
    property: () => {
      const paths: string[] = [];
      const store = temporaryStore({ fs: noting(paths), lockHelpers: [() => 'locked'] });
      return fc.asyncProperty(ids, async (text) => {
        paths.length = 0;
        const id = text as SessionId;
        expect(isSessionId(text)).toBe(LEGAL.test(text));
        const calls = [
          () => store.open(id, 'read'),
          () => store.open(id, 'write'),
          () => store.capabilities.doctor.examine(id),
          () => store.remove(id),
          () => store.resolve(text),
          () => store.mail(id).list(),
        ];
        for (const call of calls) {
          const code = await codeOf(call);
          if (!LEGAL.test(text)) expect(code).toBe('SESSION_ID');
        }
        const places = paths.map((file) => path.resolve(file));
        expect(
          places.filter((place) => place !== store.root && !place.startsWith(store.root + path.sep)),
        ).toEqual([]);
        if (!LEGAL.test(text)) expect(paths).toEqual([]);
        return true;
      });
    },
  },
  'behind which stands a link are refused, and what it leads to is not touched (G32, T10)': {
    runs: 60,
    property: async () => {
      const store = temporaryStore({ lockHelpers: [() => 'locked'] });
      const outside = temporaryFolder();
      const victim = path.join(outside, 'victim');
      const elsewhere = temporaryStore({
        root: path.join(outside, 'sessions'),
        lockHelpers: [() => 'locked'],
      });
      const real = await elsewhere.create({ agent, id: 'one' as SessionId });
      await real[Symbol.asyncDispose]();
      mkdirSync(store.root, { recursive: true, mode: 0o700 });
      writeFileSync(victim, 'mine');
      let made = 0;
      const parts = fc.constantFrom(
        'folder',
        'journal.jsonl',
        'lock',
        'inbox.jsonl',
        'snapshot.json',
        'transcript.json',
      );
      return fc.asyncProperty(
        parts,
        fc.constantFrom('read' as const, 'write' as const),
        async (part, mode) => {
          made += 1;
          const id = `s${made}` as SessionId;
          const folder = path.join(store.root, id);
          const before = readFileSync(path.join(elsewhere.root, 'one', 'journal.jsonl'));
          if (part === 'folder') symlinkSync(path.join(elsewhere.root, 'one'), folder);
          else {
            mkdirSync(folder, { mode: 0o700 });
            if (part !== 'journal.jsonl')
              writeFileSync(path.join(folder, 'journal.jsonl'), before, { mode: 0o600 });
            symlinkSync(
              part === 'journal.jsonl' ? path.join(elsewhere.root, 'one', part) : victim,
              path.join(folder, part),
            );
          }
          const code = await codeOf(() => store.open(id, mode));
          const mustRefuse =
            part === 'folder' || part === 'journal.jsonl' || (part === 'lock' && mode === 'write');
          if (mustRefuse) expect(code).toBe('SESSION_UNSAFE');
          expect(readFileSync(victim, 'utf8')).toBe('mine');
          expect(readFileSync(path.join(elsewhere.root, 'one', 'journal.jsonl')).equals(before)).toBe(true);
          return true;
        },
      );
    },
  },
});
