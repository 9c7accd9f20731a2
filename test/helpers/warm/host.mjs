// Runs the built program again and again in one process, as Node would begin and end it: what a test asks of a command
// that reads, works and ends needs no start of its own. Each run has its own words, environment, folder and streams, and
// has ended when nothing is left that would keep a process alive.
import { Buffer } from 'node:buffer';
import { Console } from 'node:console';
import Module, { createRequire } from 'node:module';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers';

const program = process.argv[2];
const load = createRequire(program);
/** The program keeps compiled code by hooks of its own, which it sets at each start. */
const extensions = { ...Module._extensions };
/** Milliseconds that a run may take before its caller is told that it does not end. */
const PATIENCE_MS = 60_000;
/** The status that the program sets before anything else. */
const UNSETTLED = 13;
/**
 * Milliseconds with nothing to wait for and no status: Node ends a program that awaits what never comes. Modules that
 * Node loads in a thread of its own are nothing that it tells of.
 */
const IDLE_MS = 5_000;

/** Whether a run did not end: what it left would be part of the next one. */
let isSpent = false;

const exit = process.exit.bind(process);
process.on('disconnect', () => exit(0));
process.on('message', (asked) => {
  void run(asked).then((ran) => process.send(ran, () => (isSpent ? exit(0) : undefined)));
});

async function run({ args, env, cwd, input }) {
  const before = { listeners: listeners(), active: active(), exitCode: process.exitCode };
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, program, ...args];
  const streams = { stdin: feed(input), stdout: new Kept(), stderr: new Kept() };
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true });
  globalThis.console = new Console(streams.stdout, streams.stderr);
  let left;
  process.exit = (status = process.exitCode) => {
    left ??= status;
    throw new Error('the program left');
  };
  let thrown = '';
  const failed = (error) => {
    if (left === undefined) thrown += String(error?.stack ?? error);
    left ??= 1;
  };
  process.on('uncaughtException', failed);
  process.on('unhandledRejection', failed);
  try {
    Object.assign(Module._extensions, extensions);
    delete load.cache[program];
    load(program);
    await ended(before.active, () => left);
  } catch (error) {
    failed(error);
  }
  const status = left ?? process.exitCode;
  for (const listener of process.listeners('exit')) {
    if (before.listeners.get('exit')?.includes(listener)) continue;
    listener.call(process, status);
  }
  for (const name of process.eventNames())
    for (const listener of process.listeners(name))
      if (!before.listeners.get(name)?.includes(listener)) process.removeListener(name, listener);
  process.exitCode = before.exitCode;
  return { status, stdout: streams.stdout.text(), stderr: streams.stderr.text() + thrown };
}

/** Waits until nothing of the run would keep a process alive. */
async function ended(before, left) {
  const started = Date.now();
  for (let turns = 0, idleSince; left() === undefined; turns += 1) {
    await new Promise((next) => (turns < 200 ? setImmediate(next) : setTimeout(next, 2)));
    const rest = more(active(), before);
    if (rest.length > 0) idleSince = undefined;
    else if (process.exitCode !== UNSETTLED || Date.now() - (idleSince ??= Date.now()) > IDLE_MS) return;
    if (Date.now() - started > PATIENCE_MS) {
      isSpent = true;
      throw new Error(`it does not end: ${rest.join(', ')}`);
    }
  }
}

function active() {
  return process.getActiveResourcesInfo().filter((name) => name !== 'Immediate');
}

/** What is there now and was not. */
function more(now, before) {
  const known = [...before];
  return now.filter((name) => {
    const at = known.indexOf(name);
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}

function listeners() {
  return new Map(process.eventNames().map((name) => [name, process.listeners(name)]));
}

/** A stdin of pieces that come one after the other. */
function feed(pieces) {
  const stdin = Object.assign(new PassThrough(), { fd: 0, ref: () => stdin, unref: () => stdin });
  void (async () => {
    for (const piece of pieces) {
      stdin.write(typeof piece === 'string' ? piece : Buffer.from(piece.data ?? piece));
      if (pieces.length > 1) await new Promise((next) => setImmediate(next));
    }
    stdin.end();
  })();
  return stdin;
}

/** A stream that nobody watches: its text is kept. */
class Kept extends Writable {
  #chunks = [];
  fd = -1;

  _write(chunk, _encoding, written) {
    this.#chunks.push(chunk);
    written();
  }

  text() {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
