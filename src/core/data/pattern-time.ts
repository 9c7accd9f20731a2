import { cpuUsage } from 'node:process';
import { Script } from 'node:vm';

/** Maximum time for matching the patterns of a schema against one value, in milliseconds. */
const LIMIT_MS = 100;
/** Message for a value whose check was aborted because it took too long. */
export const PATTERN_TOO_SLOW = `a pattern in its schema takes longer than ${LIMIT_MS} ms on this value`;

/** Whether validating against the JSON Schema runs regular expressions. */
export function hasPatterns(schema: object): boolean {
  return /"(?:pattern|patternProperties|format)":/u.test(JSON.stringify(schema));
}

/**
 * Time limits for successive attempts, in milliseconds. Each is twice the previous one, to allow for a busy
 * machine.
 */
const ATTEMPTS_MS = [1, 2, 4, 8].map((times) => times * LIMIT_MS);

/**
 * Runs work that uses untrusted regular expressions, and aborts it if it takes too long. On a single thread,
 * only a script timeout can interrupt a regular expression (T18). Returns `undefined` if the work was
 * aborted. The limit applies to CPU time: if other processes used the CPU, the work is tried again.
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

/**
 * Whether an error reports a script timeout. Compares the error code, because the error was created in
 * another context.
 */
function isTimeout(thrown: unknown): boolean {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'code' in thrown &&
    thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
