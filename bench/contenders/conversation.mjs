import { median } from '../harness/statistics.mjs';

// What all contenders of the engine sections have in common: one tool that adds two numbers at once.

export const QUESTION = 'Add them up.';
export const SCHEMA_TEXT = 'Adds two numbers.';

/** The input of the n-th tool call. */
export function inputOf(n) {
  return { a: n, b: 1 };
}

/** Microseconds of processor time that the process has used, all its threads together. */
export function processorUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/**
 * What a turn costs in processor time and on the wall: conversations of `turns` turns until 0.3 s of processor time are
 * full, the median of them. Of the two the processor's time changes less with what else the machine does.
 */
export async function perTurn(turns, converse, { warmUp = 100, repeat = true } = {}) {
  if (warmUp > 0) await converse(warmUp);
  const costs = [];
  const begun = processorUs();
  do {
    globalThis.gc?.();
    const start = { wall: performance.now(), us: processorUs() };
    await converse(turns);
    const us = (processorUs() - start.us) / turns;
    costs.push({ us, wallUs: ((performance.now() - start.wall) * 1000) / turns });
  } while (repeat && costs.length < 200 && processorUs() - begun < 300_000);
  return {
    usPerTurn: median(costs.map(({ us }) => us)),
    wallUsPerTurn: median(costs.map(({ wallUs }) => wallUs)),
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  };
}
