// Loaded before the program (`node --import`): lets the n-th operation on the files of sessions fail, as FAULT says,
// and cuts the power when the process ends: what was not flushed of a journal is gone then.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { setImmediate } from 'node:timers';

/** `{ n, errno, isSticky, isShort }`; operations count from 1. */
const fault = JSON.parse(process.env.FAULT);
const root = path.join(process.env.HITL_HOME, 'sessions');
const real = { ...fs };

const paths = new Map();
const flushed = new Map();
let count = 0;
let hasStruck = false;
/** Whether the last that was tried with a journal failed: no tool may begin then. */
globalThis.hasJournalFailed = false;

function isOurs(file) {
  return typeof file === 'string' && (file === root || file.startsWith(`${root}/`));
}

function isJournal(fd) {
  return paths.get(fd)?.endsWith('/journal.jsonl') === true;
}

/** Counts an operation; true where this one fails. */
function isDue(name, file) {
  count += 1;
  const due = count === fault.n || (fault.isSticky && hasStruck);
  if (due && !hasStruck) {
    hasStruck = true;
    real.writeFileSync(process.env.FAULT_REPORT, `${name} ${path.basename(file ?? '')}`);
  }
  return due;
}

function failure(name) {
  const { errno } = fault;
  return Object.assign(new Error(`${errno}: injected, ${name}`), { code: errno, errno: -1, syscall: name });
}

for (const name of ['mkdirSync', 'renameSync', 'unlinkSync', 'rmdirSync', 'chmodSync']) {
  fs[name] = (file, ...more) => {
    if (isOurs(file) && isDue(name, file)) throw failure(name);
    return real[name](file, ...more);
  };
}

fs.openSync = (file, ...more) => {
  if (isOurs(file) && isDue('openSync', file)) throw failure('openSync');
  const fd = real.openSync(file, ...more);
  if (isOurs(file)) paths.set(fd, file);
  else paths.delete(fd);
  return fd;
};

fs.closeSync = (fd) => {
  paths.delete(fd);
  real.closeSync(fd);
};

let wasShort = false;
fs.writeSync = (fd, bytes, from, ...more) => {
  if (!paths.has(fd)) return real.writeSync(fd, bytes, from, ...more);
  if (wasShort) {
    wasShort = false;
    globalThis.hasJournalFailed = isJournal(fd);
    throw failure('writeSync');
  }
  if (!isDue('writeSync', paths.get(fd))) return real.writeSync(fd, bytes, from, ...more);
  const start = from ?? 0;
  if (fault.isShort && bytes.length - start > 1) {
    wasShort = true;
    return real.writeSync(fd, bytes, start, (bytes.length - start) >> 1);
  }
  globalThis.hasJournalFailed = isJournal(fd);
  throw failure('writeSync');
};

fs.ftruncateSync = (fd, ...more) => {
  if (paths.has(fd) && isDue('ftruncateSync', paths.get(fd))) throw failure('ftruncateSync');
  real.ftruncateSync(fd, ...more);
};

for (const name of ['fdatasync', 'fsync']) {
  fs[name] = (fd, done) => {
    if (!paths.has(fd)) return real[name](fd, done);
    if (isDue(name, paths.get(fd))) {
      if (isJournal(fd)) globalThis.hasJournalFailed = true;
      setImmediate(() => done(failure(name)));
      return;
    }
    const flush = flushOf(fd);
    setImmediate(() => {
      flush();
      done(null);
    });
  };
  const nameNow = `${name}Sync`;
  fs[nameNow] = (fd) => {
    if (!paths.has(fd)) return real[nameNow](fd);
    if (isDue(nameNow, paths.get(fd))) {
      if (isJournal(fd)) globalThis.hasJournalFailed = true;
      throw failure(nameNow);
    }
    flushOf(fd)();
  };
}

/** What a flush that begins now makes durable, once it is done. */
function flushOf(fd) {
  const { ino, size } = real.fstatSync(fd);
  const isOfJournal = isJournal(fd);
  return () => {
    flushed.set(ino, size);
    if (isOfJournal) globalThis.hasJournalFailed = false;
  };
}

syncBuiltinESMExports();

process.on('exit', () => {
  for (const id of real.existsSync(root) ? real.readdirSync(root) : []) {
    const journal = path.join(root, id, 'journal.jsonl');
    const stats = real.lstatSync(journal, { throwIfNoEntry: false });
    const durable = stats && flushed.get(stats.ino);
    // What another process wrote was flushed by that one.
    if (durable !== undefined && durable < stats.size) real.truncateSync(journal, durable);
  }
});
