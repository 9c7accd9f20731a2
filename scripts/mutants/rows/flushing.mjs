// What is flushed before anything counts on it.

import { mutant } from '../mutant.mjs';

const flushes = 'test/sessions/flushes.test.ts';

export const flushing = [
  mutant(
    'the journal is not flushed',
    'sessions/journal/durable-file.ts',
    [['await fs.datasync(this.#fd);', '']],
    flushes,
  ),
  mutant(
    'a new file is not flushed before it takes its place',
    'sessions/disk/atomic-write.ts',
    [['writeWhole(fs, fd, piece);\n      await fs.sync(fd);', 'writeWhole(fs, fd, piece);']],
    flushes,
  ),
  mutant(
    'the place of a new file is not flushed',
    'sessions/disk/atomic-write.ts',
    [['await syncFolder(fs, path.dirname(file));', '']],
    flushes,
  ),
  mutant(
    'the folder of all sessions is not flushed when it is made',
    'sessions/opening/create-session.ts',
    [['await syncFolder(fs, parent);', '']],
    flushes,
  ),
  mutant(
    'the folder of a new session is not flushed',
    'sessions/opening/create-session.ts',
    [['syncFolder(fs, folder.path),', '']],
    flushes,
  ),
  mutant(
    'the name of a new session is not flushed',
    'sessions/opening/create-session.ts',
    [['syncFolder(fs, root),', '']],
    flushes,
  ),
  mutant('an answer is not flushed', 'sessions/inbox/inbox-file.ts', [['fs.datasync(fd), ', '']], flushes),
  mutant(
    'the name of the inbox is not flushed',
    'sessions/inbox/inbox-file.ts',
    [[', syncFolder(fs, folder.path)', '']],
    flushes,
  ),
  mutant(
    'a newline that was missing is not flushed',
    'sessions/opening/repair-tail.ts',
    [["Buffer.from('\\n'));\n    await fs.datasync(fd);", "Buffer.from('\\n'));"]],
    flushes,
  ),
  mutant(
    'the copy of a torn tail is not flushed',
    'sessions/opening/repair-tail.ts',
    [['await fs.sync(backup.fd);', '']],
    flushes,
  ),
  mutant(
    'the name of that copy is not flushed',
    'sessions/opening/repair-tail.ts',
    [['await syncFolder(fs, folder.path);', '']],
    flushes,
  ),
  mutant(
    'the cut of a torn tail is not flushed',
    'sessions/opening/repair-tail.ts',
    [['fs.truncate(fd, position.length);\n  await fs.datasync(fd);', 'fs.truncate(fd, position.length);']],
    flushes,
  ),
  mutant(
    'a removal is not flushed',
    'sessions/folder/remove-folder.ts',
    [['await syncFolder(context.fs, context.root);', '']],
    flushes,
  ),
  mutant(
    'a salvaged copy is not flushed',
    'sessions/opening/salvage-session.ts',
    [['await syncFolder(fs, root);', '']],
    flushes,
  ),
];
