import { Script } from 'node:vm';

/** The time that the patterns of a schema may take with one value, in milliseconds. */
const LIMIT_MS = 100;
/** The words about a value that was given up. */
export const PATTERN_TOO_SLOW = `a pattern of its schema takes longer than ${LIMIT_MS} ms with this value`;

/** True where checks of a JSON Schema run regular expressions. */
export function hasPatterns(schema: object): boolean {
  return /"(?:pattern|patternProperties|format)":/u.test(JSON.stringify(schema));
}

/**
 * Does work that may run regular expressions of somebody else, and gives it up when that takes too long: on one thread
 * nothing but the clock of a script stops a regular expression (T18). `undefined` where it was given up.
 */
export function withinPatternTime<Result extends object>(work: () => Result): Result | undefined {
  const done: { result?: Result } = {};
  const run = (): void => {
    done.result = work();
  };
  try {
    new Script('run()').runInNewContext({ run }, { timeout: LIMIT_MS });
  } catch (thrown) {
    if (!isTimeout(thrown)) throw thrown;
  }
  return done.result;
}

/** By its code: it is an error of the other context. */
function isTimeout(thrown: unknown): boolean {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    'code' in thrown &&
    thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
