// Invariants:
// W1 What it does needs nothing of the main thread: that is what it stands in for.
// W2 Nothing of it blocks before the process is ended.
import { Worker } from 'node:worker_threads';

export interface WatchdogTimes {
  /** How long the main thread may take to respond to a signal, in milliseconds. */
  readonly answerMs: number;
  /** How long the process may take to exit after a call to `leaving`, in milliseconds. */
  readonly leaveMs: number;
}

/** Ends the process if its main thread is frozen. */
export interface Watchdog extends Disposable {
  /**
   * Resolves when the watchdog can receive signals, or when this turns out to be impossible. Earlier signals
   * are missed.
   */
  readonly ready: Promise<void>;
  /** Reports that the main thread is about to exit. */
  leaving(): void;
}

/**
 * The code that the worker thread runs. It receives signals on its own event loop through an internal Node
 * binding, because workers have no other way to receive them.
 */
const PROGRAM = `
process.noDeprecation = true;
const { spawnSync } = require('node:child_process');
const { parentPort, workerData } = require('node:worker_threads');
const { answerMs, leaveMs, isTerminal } = workerData;
const end = () => {
  if (isTerminal) spawnSync('stty', ['sane'], { stdio: ['inherit', 'ignore', 'ignore'], timeout: 200 });
  process.kill(process.pid, 'SIGKILL');
};
const open = new Set();
parentPort.on('message', (message) => {
  if (message === 'leaving') setTimeout(end, leaveMs);
  else for (const timer of open) { clearTimeout(timer); open.delete(timer); }
});
const { Signal } = process.binding('signal_wrap');
for (const signal of workerData.signals) {
  const heard = new Signal();
  heard.onsignal = () => {
    open.add(setTimeout(end, answerMs));
    parentPort.postMessage('answer');
  };
  heard.start(signal);
}
parentPort.postMessage('ready');
`;

/**
 * Starts a thread that sends SIGKILL to the process if the main thread does not respond to a signal in time.
 * Does nothing if the thread cannot receive signals.
 */
export function startWatchdog(signals: readonly number[], times: WatchdogTimes): Watchdog {
  const isTerminal = process.stdin.isTTY;
  const worker = new Worker(PROGRAM, { eval: true, workerData: { ...times, signals, isTerminal } });
  const ready = new Promise<void>((resolve) => {
    worker.once('message', () => {
      resolve();
    });
    worker.on('error', () => {
      resolve(); // it is gone, and with it only what it adds
    });
  });
  worker.on('message', () => {
    worker.postMessage('here');
  });
  void ready.then(() => {
    worker.unref();
  });
  return {
    ready,
    leaving() {
      worker.postMessage('leaving');
    },
    [Symbol.dispose]() {
      void worker.terminate();
    },
  };
}
