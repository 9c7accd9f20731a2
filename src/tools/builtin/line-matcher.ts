import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import type { Clock } from '../../core/index.js';
import { HitlError } from '../../core/index.js';

import { findText } from './find-text.js';

/** Finds the matching lines in a text. Must be closed after use. */
export interface LineMatcher {
  /** Returns the indexes of the matching lines. */
  match(lines: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Creates a matcher for lines that contain a text. Runs in linear time (T18). */
export function literalMatcher(text: string, caseSensitive: boolean): LineMatcher {
  const wanted = caseSensitive ? text : text.toLowerCase();
  return {
    match: async (lines) =>
      lines.flatMap((line, index) =>
        findText(caseSensitive ? line : line.toLowerCase(), wanted) === -1 ? [] : [index],
      ),
    close: () => Promise.resolve(),
  };
}

/**
 * Code that runs in its own thread, because a regular expression can be stopped only by terminating its
 * thread (T18).
 */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', (lines) => {
  parentPort.postMessage(lines.flatMap((line, index) => (pattern.test(line) ? [index] : [])));
});
`;

export interface RegexOptions {
  readonly caseSensitive: boolean;
  readonly clock: Clock;
  /** Time limit for all calls of `match` together, in milliseconds. */
  readonly timeLimitMs: number;
}

/** Creates a matcher for a regular expression, with a time limit. */
export function regexMatcher(
  source: string,
  { caseSensitive, clock, timeLimitMs }: RegexOptions,
): LineMatcher {
  const worker = new Worker(PROGRAM, {
    eval: true,
    env: {},
    workerData: { source, flags: caseSensitive ? 'u' : 'iu' },
  });
  // A pattern that fails is told by `match`; without a listener it would end the process.
  worker.on('error', () => undefined);
  const limit = new HitlError('TOOL_FAILED', `the pattern took longer than ${timeLimitMs} ms`, {
    hint: 'use a simpler pattern, fewer files or literal text',
  });
  let leftMs = timeLimitMs;
  return {
    async match(lines, signal) {
      const from = clock.now();
      const done = new AbortController();
      const scope = AbortSignal.any([signal, done.signal]);
      try {
        const late = clock.sleep(Math.max(leftMs, 0), scope).then(() => Promise.reject(limit));
        const replied: Promise<readonly (readonly number[])[]> = once(worker, 'message', { signal: scope });
        worker.postMessage(lines);
        const [hits = []] = await Promise.race([replied, late]);
        return hits;
      } finally {
        done.abort();
        leftMs -= clock.now() - from;
      }
    },
    close: async () => {
      await worker.terminate();
    },
  };
}
