import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

import type { Clock } from '../../core/index.js';
import { HitlError } from '../../core/index.js';

import { findText } from './find-text.js';

/** Finds matching lines of a text; must be closed. */
export interface LineMatcher {
  /** Indexes of the lines that match. */
  match(lines: readonly string[], signal: AbortSignal): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Matches lines that contain a text. Linear time (T18). */
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

/** Runs in its own thread, because nothing else can stop a regular expression (T18). */
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
  /** For all texts together, in milliseconds. */
  readonly timeLimitMs: number;
}

/** Matches lines against a regular expression, with a time limit. */
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
