// Invariants:
// W1 What it does needs nothing of the main thread: that is what it stands in for.
// W2 Nothing of it blocks before the process is ended.
import { Worker } from 'node:worker_threads';

export interface WatchdogTimes {
  /** The time for which the main thread may leave a signal unanswered, in milliseconds. */
  readonly answerMs: number;
  /** The time for which the process may go on after `leaving`, in milliseconds. */
  readonly leaveMs: number;
}

/** Ends the process where a frozen main thread cannot. */
export interface Watchdog extends Disposable {
  /** Resolves when it hears signals, or never will. What comes before is not heard. */
  readonly ready: Promise<void>;
  /** The main thread is about to end the process by itself. */
  leaving(): void;
}

/** A worker hears signals through its own loop; Node offers that to workers by this binding only. */
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
 * Starts a thread that ends the process with SIGKILL where a signal came and the main thread did not answer in time.
 * Where the thread cannot hear signals there is none: the process is as it was without it.
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
