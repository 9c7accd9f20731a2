import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * The verdicts so far, a line of JSON each in a file: of a run that was cut the next one takes over what was killed,
 * as long as neither the changed file nor the tests of the mutant have changed since.
 */
export class Results {
  #file;

  constructor(file, { keep }) {
    this.#file = file;
    mkdirSync(path.dirname(file), { recursive: true });
    if (!keep) rmSync(file, { force: true });
  }

  add(result) {
    appendFileSync(this.#file, `${JSON.stringify(result)}\n`);
  }

  killed({ name }, digest) {
    return this.#read().findLast(
      (one) => one.name === name && one.verdict === 'killed' && one.digest === digest,
    );
  }

  #read() {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line));
  }
}

/** The digest of the text of a mutant and of its tests. */
export function digestOf(copy, text, tests) {
  const hash = createHash('sha256').update(text);
  for (const test of tests) hash.update('\0').update(readFileSync(path.join(copy, test)));
  return hash.digest('hex').slice(0, 16);
}

/** The last line of a run. */
export function summary(results) {
  const count = (verdict) => results.filter((result) => result.verdict === verdict).length;
  const minutes = (results.reduce((sum, { seconds }) => sum + seconds, 0) / 60).toFixed(1);
  return `${count('killed')} killed, ${count('survived')} survived, ${count('not applicable')} not applicable, ${minutes} min`;
}
