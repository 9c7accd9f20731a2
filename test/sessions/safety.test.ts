import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { FileStore } from '../../sessions/index.js';
import type { SessionId } from '../../src/core/index.js';
import { interruptId } from '../../src/core/index.js';
import { agent, said } from './sample-events.js';
import { errnoError, faultyFileSystem } from './faulty-file-system.js';
import { temporaryFolder, temporaryStore } from './temporary-store.js';

interface Made {
  readonly store: FileStore & { readonly root: string };
  readonly id: SessionId;
  readonly folder: string;
}

async function madeSession(): Promise<Made> {
  const store = temporaryStore();
  await using session = await store.create({ agent });
  await session.append([said('hello')]);
  return { store, id: session.id, folder: path.join(store.root, session.id) };
}

function modeOf(file: string): string {
  return (statSync(file).mode & 0o777).toString(8);
}

async function statuses(store: FileStore): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { status } of store.list()) found.push(status);
  return found;
}

describe('the files of a session', () => {
  test('are for their owner alone, whatever the umask says (G32)', async () => {
    const before = process.umask(0);
    try {
      const { store, folder } = await madeSession();
      const modes = readdirSync(folder).map((name) => [name, modeOf(path.join(folder, name))]);
      expect(modes).toEqual([
        ['journal.jsonl', '600'],
        ['lock', '600'],
        ['transcript.json', '600'],
      ]);
      expect([modeOf(folder), modeOf(store.root)]).toEqual(['700', '700']);
    } finally {
      process.umask(before);
    }
  });

  test('are closed to others where they were open, with a notice (G32)', async () => {
    const { store, id, folder } = await madeSession();
    chmodSync(folder, 0o755);
    chmodSync(path.join(folder, 'journal.jsonl'), 0o644);
    await using session = await store.open(id, 'read');
    expect(session.notices).toEqual([
      `\`${folder}\` was readable by other users: mode changed from 755 to 700`,
      `\`${path.join(folder, 'journal.jsonl')}\` was readable by other users: mode changed from 644 to 600`,
    ]);
    expect([modeOf(folder), modeOf(path.join(folder, 'journal.jsonl'))]).toEqual(['700', '600']);
  });

  test('are read where their mode cannot be changed, with a notice', async () => {
    const { store, id, folder } = await madeSession();
    chmodSync(folder, 0o755);
    const fs = faultyFileSystem();
    fs.changeMode = () => {
      throw errnoError('EROFS');
    };
    await using session = await temporaryStore({ root: store.root, fs }).open(id, 'read');
    expect(session.notices).toEqual([
      `\`${folder}\` is readable by other users (mode 755), and its mode could not be changed`,
    ]);
  });

  test('have the mode that others gave the folder of all sessions', async () => {
    const root = path.join(temporaryFolder(), 'given');
    mkdirSync(root, { mode: 0o755 });
    chmodSync(root, 0o755);
    await using session = await temporaryStore({ root }).create({ agent });
    expect(session.version).toBe(2);
    expect(modeOf(root)).toBe('755');
  });
});

describe('what someone else could have put there', () => {
  test.for(['journal.jsonl', 'lock'])('a link in the place of `%s` is refused (G32, T10)', async (name) => {
    const { store, id, folder } = await madeSession();
    const victim = path.join(temporaryFolder(), 'victim');
    writeFileSync(victim, 'precious');
    rmSync(path.join(folder, name));
    symlinkSync(victim, path.join(folder, name));
    await expect(store.open(id, 'write')).rejects.toMatchObject({
      code: 'SESSION_UNSAFE',
      message: `\`${path.join(folder, name)}\` is a symbolic link`,
    });
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  test('a link in the place of a folder is refused (G32, T10)', async () => {
    const { store, id, folder } = await madeSession();
    const link = path.join(store.root, 'link');
    symlinkSync(folder, link);
    for (const mode of ['read', 'write'] as const) {
      await expect(store.open('link' as SessionId, mode)).rejects.toMatchObject({ code: 'SESSION_UNSAFE' });
    }
    await expect(store.remove('link' as SessionId)).rejects.toMatchObject({ code: 'SESSION_UNSAFE' });
    expect(existsSync(folder)).toBe(true);
    expect(await store.capabilities.doctor.examine('link' as SessionId)).toMatchObject({
      status: 'unreadable',
    });
    expect([...(await statuses(store))].sort()).toEqual(['interrupted', 'unreadable']);
    expect(await store.resolve(id)).toBe(id);
  });

  test('a link to the folder of all sessions is followed (F18)', async () => {
    const { store, id } = await madeSession();
    const link = path.join(temporaryFolder(), 'link');
    symlinkSync(store.root, link);
    await using session = await temporaryStore({ root: link }).open(id, 'write');
    expect(session.version).toBe(3);
  });

  test('a pipe in the place of a journal is refused without waiting for it (G32)', async () => {
    const { store, id, folder } = await madeSession();
    rmSync(path.join(folder, 'journal.jsonl'));
    execFileSync('mkfifo', [path.join(folder, 'journal.jsonl')]);
    for (const mode of ['read', 'write'] as const) {
      await expect(store.open(id, mode)).rejects.toMatchObject({
        code: 'SESSION_UNSAFE',
        message: expect.stringMatching(/is not a file$/),
      });
    }
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({ status: 'unreadable' });
  });

  test('a folder in the place of a journal is refused (G32)', async () => {
    const { store, id, folder } = await madeSession();
    rmSync(path.join(folder, 'journal.jsonl'));
    mkdirSync(path.join(folder, 'journal.jsonl'));
    for (const mode of ['read', 'write'] as const) {
      await expect(store.open(id, mode)).rejects.toMatchObject({ code: 'SESSION_UNSAFE' });
    }
  });

  const unsafe: readonly (readonly [string, number, (root: string) => void, string])[] = [
    [
      'is writable by other users (mode 777)',
      0,
      (root) => {
        chmodSync(root, 0o777);
      },
      'chmod go-w',
    ],
    [
      'is writable by other users (mode 720)',
      0,
      (root) => {
        chmodSync(root, 0o720);
      },
      'chmod go-w',
    ],
    [
      'belongs to user 12345, not to you',
      1,
      (root) => {
        chownSync(root, 12_345, 12_345);
      },
      '--sessions',
    ],
  ];
  test.for(unsafe)('a folder of all sessions that %s is refused (G32)', async (row, { skip }) => {
    const [why, asRoot, spoil, hint] = row;
    if (asRoot === 1 && process.geteuid?.() !== 0) skip('only root can give a folder away');
    const { store, id } = await madeSession();
    spoil(store.root);
    const refused = {
      code: 'SESSION_UNSAFE',
      message: `\`${store.root}\` ${why}`,
      hint: expect.stringContaining(hint) as string,
    };
    const tries = [
      () => store.create({ agent }),
      () => store.open(id, 'read'),
      () => store.open(id, 'write'),
      () => store.remove(id),
      () => statuses(store),
    ];
    for (const attempt of tries) await expect(attempt()).rejects.toMatchObject(refused);
    expect(existsSync(path.join(store.root, id, 'journal.jsonl'))).toBe(true);
  });

  test('a link to a folder of one’s own may stand for the folder of all sessions', async () => {
    const { store, id } = await madeSession();
    const link = path.join(temporaryFolder(), 'link');
    symlinkSync(store.root, link);
    await using session = await temporaryStore({ root: link }).open(id, 'write');
    expect(session.id).toBe(id);
  });

  test.skipIf(process.geteuid?.() !== 0)('a folder of another user is refused (G32)', async () => {
    const { store, id, folder } = await madeSession();
    chownSync(folder, 12_345, 12_345);
    await expect(store.open(id, 'read')).rejects.toMatchObject({
      code: 'SESSION_UNSAFE',
      message: `\`${folder}\` belongs to user 12345, not to you`,
    });
  });

  test.skipIf(process.geteuid?.() !== 0)('a journal of another user is refused (G32)', async () => {
    const { store, id, folder } = await madeSession();
    chownSync(path.join(folder, 'journal.jsonl'), 12_345, 12_345);
    await expect(store.open(id, 'write')).rejects.toMatchObject({ code: 'SESSION_UNSAFE' });
  });

  test('a file in the place of a folder is no session', async () => {
    const { store } = await madeSession();
    writeFileSync(path.join(store.root, 'file'), 'x');
    await expect(store.open('file' as SessionId, 'read')).rejects.toMatchObject({ code: 'SESSION_UNSAFE' });
    expect(await statuses(store)).toEqual(['interrupted']);
  });

  test('a link in the place of the transcript is replaced, not followed', async () => {
    const { store, id, folder } = await madeSession();
    const victim = path.join(temporaryFolder(), 'victim');
    const transcript = path.join(folder, 'transcript.json');
    writeFileSync(victim, 'precious');
    rmSync(transcript);
    symlinkSync(victim, transcript);
    {
      await using session = await store.open(id, 'write');
      await session.append([said('more')]);
    }
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(JSON.parse(readFileSync(transcript, 'utf8'))).toMatchObject({ id });
  });
});

describe('what the system refuses', () => {
  function denying(root: string, errno: string, name: string): FileStore {
    const fs = faultyFileSystem();
    const { open } = fs;
    fs.open = (file, flags, mode) => {
      if (path.basename(file) === name) throw errnoError(errno);
      return open(file, flags, mode);
    };
    return temporaryStore({ root, fs });
  }

  test.for([
    ['EACCES', 'journal.jsonl', 'read', 'SESSION_UNREADABLE', 'you do not have permission to read it'],
    ['EIO', 'journal.jsonl', 'read', 'SESSION_UNREADABLE', 'EIO: injected'],
    ['EACCES', 'journal.jsonl', 'write', 'SAVE_FAILED', 'you do not have permission to write there'],
    ['EROFS', 'lock', 'write', 'SAVE_FAILED', 'the file system is read-only'],
    ['ENOSPC', 'lock', 'write', 'SAVE_FAILED', 'the disk is full'],
    ['EACCES', 'lock', 'write', 'SAVE_FAILED', 'you do not have permission to write there'],
  ] as const)('%s for `%s` to %s is %s', async ([errno, name, mode, code, why]) => {
    const { store, id } = await madeSession();
    await expect(denying(store.root, errno, name).open(id, mode)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(why),
      hint: expect.any(String),
    });
  });

  test('is listed as unreadable, with the rest (T11)', async () => {
    const { store, id, folder } = await madeSession();
    await using other = await store.create({ agent });
    expect(other.version).toBe(2);
    expect(await statuses(denying(store.root, 'EACCES', 'journal.jsonl'))).toEqual([
      'unreadable',
      'unreadable',
    ]);
    const fs = faultyFileSystem();
    const { lookUp } = fs;
    fs.lookUp = (file) => {
      if (file.startsWith(folder)) throw errnoError('EACCES');
      return lookUp(file);
    };
    const blind = temporaryStore({ root: store.root, fs });
    expect((await statuses(blind)).toSorted()).toEqual(['running', 'unreadable']);
    expect(await blind.resolve(id)).toBe(id);
    expect(await blind.capabilities.doctor.examine(id)).toMatchObject({ status: 'unreadable' });
    const unreadable = { code: 'SESSION_UNREADABLE' };
    await expect(blind.open(id, 'read')).rejects.toMatchObject(unreadable);
    await expect(blind.open(id, 'write')).rejects.toMatchObject(unreadable);
    await expect(blind.remove(id)).rejects.toMatchObject(unreadable);
    const left = { type: 'left', session: id, interrupt: interruptId('i1'), receipt: 'r' } as const;
    await expect(blind.fate(left, AbortSignal.timeout(10_000))).rejects.toMatchObject(unreadable);
  });

  test('for the folder of all sessions is an error of the list', async () => {
    const fs = faultyFileSystem();
    fs.entries = () => {
      throw errnoError('EACCES');
    };
    await expect(statuses(temporaryStore({ fs }))).rejects.toMatchObject({ code: 'SESSION_UNREADABLE' });
    expect(await temporaryStore({ fs }).capabilities.doctor.survey()).toMatchObject([
      { status: 'ok' },
      { status: 'failed' },
    ]);
  });
});

test('hard links do not lead a writer astray (G24)', async () => {
  const { store, id, folder } = await madeSession();
  await using session = await store.open(id, 'write');
  const other = path.join(temporaryFolder(), 'other');
  linkSync(path.join(folder, 'journal.jsonl'), other);
  await session.append([said('more')]);
  writeFileSync(other, 'x', { flag: 'a' });
  await expect(session.append([said('again')])).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
});

test('the first twenty sessions of a store are created at once, where none of its folders is there', async () => {
  const store = temporaryStore({ root: path.join(temporaryFolder(), 'not', 'there', 'sessions') });
  const sessions = await Promise.all(Array.from({ length: 20 }, () => store.create({ agent })));
  expect(new Set(sessions.map(({ id }) => id)).size).toBe(20);
  await Promise.all(sessions.map((session) => session[Symbol.asyncDispose]()));
});
