// Measures the process that it is loaded into, beside a program that knows nothing of it:
//   GAUGE_FILE=<file> GAUGE_MS=30000 node --expose-gc --import gauge.mjs <program>
// Each time it collects what nobody holds, and appends a line to the file.
import { getEventListeners } from 'node:events';
import { appendFileSync, readdirSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';

import type { Figures } from './growth.js';

const { GAUGE_FILE: file = '', GAUGE_MS: ms = '30000' } = process.env;

/** The signals that somebody listens to, or that others follow; nothing is kept alive by this. */
const known = new WeakSet<AbortSignal>();
const signals = new Set<WeakRef<AbortSignal>>();

function meet(signal: AbortSignal): void {
  if (known.has(signal)) return;
  known.add(signal);
  signals.add(new WeakRef(signal));
}

const { prototype } = EventTarget;
const add = Reflect.get(prototype, 'addEventListener');
Reflect.set(
  prototype,
  'addEventListener',
  function (this: EventTarget, ...given: Parameters<EventTarget['addEventListener']>) {
    if (this instanceof AbortSignal) meet(this);
    add.apply(this, given);
  },
);
const any = Reflect.get(AbortSignal, 'any');
Reflect.set(AbortSignal, 'any', (sources: Iterable<AbortSignal>): AbortSignal => {
  const all = [...sources];
  for (const source of all) meet(source);
  return any.call(AbortSignal, all);
});

/** How many signals of `AbortSignal.any` a signal has a reference to; 0 where Node keeps them elsewhere. */
function followersOf(signal: AbortSignal): number {
  const key = Object.getOwnPropertySymbols(signal).find(({ description }) =>
    description?.startsWith('kDependantSignals'),
  );
  const followers: unknown = key === undefined ? undefined : Reflect.get(signal, key);
  if (typeof followers !== 'object' || followers === null || !('size' in followers)) return 0;
  return Number(followers.size); // a set of Node's own, which is none of `Set`
}

function ofSignals(): { readonly listeners: number; readonly followers: number } {
  let listeners = 0;
  let followers = 0;
  for (const reference of signals) {
    const signal = reference.deref();
    if (signal === undefined) {
      signals.delete(reference);
      continue;
    }
    listeners += getEventListeners(signal, 'abort').length;
    followers += followersOf(signal);
  }
  return { listeners, followers };
}

function ofProcess(): number {
  return [process, process.stdout, process.stderr].reduce(
    (sum, one) => sum + one.eventNames().reduce((count, name) => count + one.listenerCount(name), 0),
    0,
  );
}

async function measure(): Promise<Figures> {
  globalThis.gc?.();
  await turn(); // what is met in a turn lives until its end
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  const { listeners, followers } = ofSignals();
  return {
    ...{ heap: heapUsed, rss },
    descriptors: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
    resources: process.getActiveResourcesInfo().length,
    listeners: listeners + ofProcess(),
    followers,
  };
}

setInterval(() => {
  void measure().then((figures) => {
    const { user, system } = process.cpuUsage();
    const cpuMs = Math.round((user + system) / 1_000);
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), cpuMs, ...figures })}\n`);
  });
}, Number(ms)).unref();
