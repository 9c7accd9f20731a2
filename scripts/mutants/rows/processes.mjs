// What keeps processes and users apart.

import { mutant } from '../mutant.mjs';

const safety = 'test/sessions/safety.test.ts';
const lock = 'test/sessions/lock.test.ts';
const durable = 'test/sessions/durable-file.test.ts';
const store = 'test/contracts/session-store.test.ts';

export const processes = [
  mutant(
    'a lock that is held is taken',
    'sessions/lock.ts',
    [["if (result === 'held')", 'if (false)']],
    lock,
    store,
  ),
  mutant(
    'a lock file that was replaced counts',
    'sessions/lock.ts',
    [['if (!isStillAt(fs, file, fd))', 'if (false)']],
    lock,
  ),
  mutant(
    'a kernel lock does not see a pid file',
    'sessions/lock.ts',
    [['owner !== undefined && isOwnerAlive(owner, processes) !== false', 'false']],
    lock,
  ),
  mutant(
    'a stale pid file is taken over by itself',
    'sessions/lock.ts',
    [['!isStale || takeOver !== true', '!isStale']],
    lock,
  ),
  mutant(
    'no fence',
    'sessions/journal/durable-file.ts',
    [['    this.#fence();\n', '']],
    durable,
    safety,
    store,
  ),
  mutant(
    'the fence does not see another file',
    'sessions/journal/durable-file.ts',
    [['facts.ino === this.#ino && facts.dev === this.#dev', 'true']],
    durable,
    safety,
  ),
  mutant(
    'every writer has the same epoch',
    'sessions/journal/session-tip.ts',
    [['(tip.state.writer?.epoch ?? 0) + 1', '1']],
    store,
  ),
  mutant(
    'a writer begins no epoch',
    'sessions/journal/session-tip.ts',
    [['tip.isOpened ? events : withOpening(tip, events, writer)', 'events']],
    store,
  ),
  mutant(
    'links are followed',
    'sessions/disk/file-system.ts',
    [
      [
        'append: fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW |',
        'append: fs.constants.O_RDWR | fs.constants.O_APPEND |',
      ],
    ],
    safety,
  ),
  mutant(
    'what is no file is opened',
    'sessions/disk/safe-open.ts',
    [['if (facts.kind !== kind)', 'if (false)']],
    safety,
  ),
  mutant(
    'files of others are opened',
    'sessions/disk/safe-open.ts',
    [['user !== undefined && facts.uid !== user)\n    throw', 'false)\n    throw']],
    safety,
  ),
  mutant(
    'loose modes stay',
    'sessions/disk/safe-open.ts',
    [['if (!isLoose(facts.mode))', 'if (true)']],
    safety,
  ),
  mutant(
    'files are for everybody',
    'sessions/disk/atomic-write.ts',
    [['FILE_MODE = 0o600', 'FILE_MODE = 0o644']],
    safety,
  ),
  mutant(
    'folders are for everybody',
    'sessions/disk/atomic-write.ts',
    [['FOLDER_MODE = 0o700', 'FOLDER_MODE = 0o755']],
    safety,
  ),
];
