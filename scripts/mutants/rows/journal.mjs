// What reading and writing a journal checks.

import { mutant } from '../mutant.mjs';

const faults = 'test/sessions/faults.test.ts';
const recovery = 'test/sessions/recovery.test.ts';
const shortWrites = 'test/faults/short-writes.test.ts';
const durable = 'test/sessions/durable-file.test.ts';
const snapshot = 'test/sessions/snapshot.test.ts';
const inbox = 'test/sessions/answer-inbox.test.ts';
const queue = 'test/sessions/message-queue.test.ts';
const queueFuzz = 'test/fuzz/queue.test.ts';
const hostile = 'test/sessions/hostile-folders.test.ts';

export const journal = [
  mutant(
    'checksums are not checked',
    'sessions/format/codec.ts',
    [['return Number.parseInt(sum, 16) === crc32(line.subarray(0, end));', 'return sum.length > 0;']],
    recovery,
  ),
  mutant(
    'the chain is not checked',
    'sessions/journal/scan-journal.ts',
    [['prev !== position.prev.slice(0, NO_PREVIOUS.length)', 'false']],
    recovery,
  ),
  mutant(
    'doubles are not found',
    'sessions/journal/scan-journal.ts',
    [['stored.seq < expected', 'false']],
    recovery,
  ),
  mutant(
    'gaps are not found',
    'sessions/journal/scan-journal.ts',
    [['stored.seq > expected', 'false']],
    recovery,
  ),
  mutant(
    'whole records behind a bad line are taken for a torn tail',
    'sessions/journal/scan-journal.ts',
    [["health.kind === 'bad-line' && wholeLines === 0", "health.kind === 'bad-line'"]],
    recovery,
  ),
  mutant(
    'a torn tail is not kept',
    'sessions/opening/repair-tail.ts',
    [['writeWhole(fs, backup.fd, piece);', ';']],
    recovery,
  ),
  mutant(
    'a torn tail is not cut',
    'sessions/opening/repair-tail.ts',
    [['fs.truncate(fd, position.length);', '']],
    recovery,
  ),
  mutant(
    'half a write stays',
    'sessions/journal/durable-file.ts',
    [['this.#options.fs.truncate(this.#fd, this.#written.length);', '']],
    faults,
    shortWrites,
  ),
  mutant(
    'half an answer stays',
    'sessions/inbox/inbox-file.ts',
    [['  } catch (error) {\n    fs.truncate(fd, size);', '  } catch (error) {']],
    faults,
    inbox,
    shortWrites,
  ),
  mutant(
    'an answer that was not flushed stays',
    'sessions/inbox/inbox-file.ts',
    [['fs.truncate(fd, size); // what is not acknowledged is not there', '']],
    inbox,
    queue,
    queueFuzz,
  ),
  mutant(
    'half a write counts as a whole one',
    'sessions/disk/atomic-write.ts',
    [['from += count;', 'from = bytes.length;']],
    faults,
    durable,
  ),
  mutant(
    'a file is flushed again after a failed flush',
    'sessions/journal/durable-file.ts',
    [['else await this.#replace();', "else this.#state = 'good';"]],
    durable,
    faults,
  ),
  mutant(
    'what was durable is not read back',
    'sessions/journal/durable-file.ts',
    [['verify(old, tip);', '']],
    durable,
    recovery,
  ),
  mutant(
    'a snapshot is taken unseen',
    'sessions/snapshot/read-snapshot.ts',
    [['sumOfFile(fs, fd, length) !== sum', 'false']],
    snapshot,
  ),
  mutant(
    'lists of a snapshot are taken unseen',
    'sessions/snapshot/read-snapshot.ts',
    [['sha256(bytes) !== place.sum', 'false']],
    snapshot,
  ),
  mutant(
    'the key is left out of a mac',
    'sessions/seal/record-seal.ts',
    [['const byte = key[at] ?? 0;', 'const byte = 0;']],
    hostile,
  ),
  mutant(
    'macs are not compared',
    'sessions/seal/record-seal.ts',
    [['return difference === 0;', 'return true;']],
    hostile,
  ),
  mutant(
    'a mac is not bound to its session',
    'sessions/seal/record-seal.ts',
    [['`${kind}\\n${id}\\n${before}\\n`', '`${kind}\\n${before}\\n`']],
    hostile,
  ),
  mutant(
    'a mac is not bound to what stands before it',
    'sessions/seal/record-seal.ts',
    [['`${kind}\\n${id}\\n${before}\\n`', '`${kind}\\n${id}\\n`']],
    hostile,
  ),
  mutant(
    'an inbox counts whoever wrote it',
    'sessions/inbox/inbox-place.ts',
    [['if (isForeign) this.foreign.push(record);', 'if (false) this.foreign.push(record);']],
    hostile,
  ),
  mutant(
    'what was taken out of an inbox is not missed',
    'sessions/inbox/inbox-place.ts',
    [['if (n !== this.#n + 1) breakOff();', '']],
    hostile,
  ),
  mutant(
    'a foreign past is taken over whatever it is',
    'sessions/seal/authorship.ts',
    [['adoption?.past === this.#digest()', 'adoption !== undefined']],
    hostile,
  ),
  mutant(
    'lost records are not missed',
    'sessions/opening/adoption.ts',
    [['if (position.seq < seq)', 'if (false)']],
    hostile,
  ),
];
