import { cpuUsage } from 'node:process';
import { Script } from 'node:vm';

/** Time limit of a schema's patterns for one value, in milliseconds. */
const LIMIT_MS = 100;
/** Message about a value whose check was aborted. */
export const PATTERN_TOO_SLOW = `a pattern of its schema takes longer than ${LIMIT_MS} ms with this value`;

/** Whether validation by the JSON Schema runs regular expressions. */
export function hasPatterns(schema: object): boolean {
  return /"(?:pattern|patternProperties|format)":/u.test(JSON.stringify(schema));
}

/** How long an attempt waits on a machine that is busy with other work, in milliseconds: each twice as long as the last. */
const ATTEMPTS_MS = [1, 2, 4, 8].map((times) => times * LIMIT_MS);

/**
 * Runs work with foreign regular expressions, and aborts it if it takes too long: on one thread, only a
 * script timeout can interrupt a regular expression (T18). `undefined` if aborted. What counts is the time of the
 * processor: work that was aborted while others had it begins again.
 */
export function withinPatternTime<Result extends object>(work: () => Result): Result | undefined {
  for (const timeout of ATTEMPTS_MS) {
    const before = cpuUsage();
    const result = attempt(work, timeout);
    if (result !== undefined) return result;
    const { user, system } = cpuUsage(before);
    if ((user + system) / 1_000 >= LIMIT_MS / 2) return undefined; // a timer may be a little early
  }
  return undefined;
}

function attempt<Result extends object>(work: () => Result, timeout: number): Result | undefined {
  const done: { result?: Result } = {};
  const run = (): void => {
    done.result = work();
  };
  try {
    new Script('run()').runInNewContext({ run }, { timeout });
  } catch (thrown) {
    if (!isTimeout(thrown)) throw thrown;
  }
  return done.result;
}

/** Compares the code, because the error belongs to another context. */
function isTimeout(thrown: unknown): boolean {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'code' in thrown &&
    thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
