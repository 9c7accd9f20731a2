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

/** Everybody warms up alike: conversations of 100 turns, until they were 2,000 or took 2 s of the processor. */
const WARM_UP = { conversation: 100, turns: 2000, us: 2_000_000 };

/** How long conversations are repeated, in microseconds of the processor. */
const MEASURED_US = 300_000;

/**
 * What a turn costs on the wall and in processor time: conversations of `turns` turns until 0.3 s of processor time are
 * full, the median of them. Of the two the processor's time changes less with what else the machine does.
 */
export async function perTurn(turns, converse, warmUp = WARM_UP) {
  const warmed = await warm(converse, warmUp);
  const costs = [];
  const begun = processorUs();
  do {
    globalThis.gc?.();
    const start = { wall: performance.now(), us: processorUs() };
    await converse(turns);
    const us = (processorUs() - start.us) / turns;
    costs.push({ us, wallUs: ((performance.now() - start.wall) * 1000) / turns });
  } while (costs.length < 200 && processorUs() - begun < MEASURED_US);
  return {
    warmed,
    cpuUsPerTurn: median(costs.map(({ us }) => us)),
    wallUsPerTurn: median(costs.map(({ wallUs }) => wallUs)),
  };
}

/** @returns how many turns there were */
async function warm(converse, { conversation, turns, us }) {
  const begun = processorUs();
  let done = 0;
  while (done < turns && processorUs() - begun < us) {
    await converse(conversation);
    done += conversation;
  }
  return done;
}
