import { runFresh } from './run-fresh.mjs';
import { median, summary } from './statistics.mjs';

/**
 * Measures contenders in turn, round by round, so that what else the machine does meets all of them; each round
 * begins with another one. Warm files, compiled code caches and the like are had by a round that does not count.
 * @param contenders `{ name, module, params }`
 * @returns by name, the numbers of every round
 */
export async function inRounds(contenders, { rounds, warmUp = false, say = () => undefined }) {
  const results = new Map(contenders.map(({ name }) => [name, []]));
  if (warmUp) for (const contender of contenders) await runFresh(contender);
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < contenders.length; turn += 1) {
      const contender = contenders[(turn + round) % contenders.length];
      say(`round ${round + 1}/${rounds}: ${contender.name}`);
      results.get(contender.name).push(await runFresh(contender));
    }
  }
  return new Rounds(results);
}

/** The numbers of several contenders over several rounds. */
export class Rounds {
  #results;

  constructor(results) {
    this.#results = results;
  }

  get names() {
    return [...this.#results.keys()];
  }

  /** Why a contender gave no numbers; `undefined` where it did. */
  failure(name) {
    return this.#results.get(name)?.find(({ failed }) => failed !== undefined)?.failed;
  }

  /** Median, least and greatest of one number of one contender; `undefined` where it has none. */
  of(name, key) {
    const values = (this.#results.get(name) ?? []).map((round) => round[key]).filter(Number.isFinite);
    return values.length === 0 ? undefined : summary(values);
  }

  /** The median of the ratios, each taken within one round. */
  ratio(name, key, base, baseKey = key) {
    const over = this.#results.get(base) ?? [];
    const ratios = (this.#results.get(name) ?? [])
      .map((round, index) => round[key] / over[index]?.[baseKey])
      .filter(Number.isFinite);
    return ratios.length === 0 ? undefined : median(ratios);
  }

  /** Everything, for `--json`. */
  toJSON() {
    return Object.fromEntries(this.#results);
  }
}
