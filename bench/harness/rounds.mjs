import { runFresh } from './run-fresh.mjs';
import { median, summary } from './statistics.mjs';

/**
 * Measures in turn, round by round, so that what else the machine does meets all of them; each round begins with
 * another one. The first round is always whole; another one begins only where it would fit into the budget, if each
 * measure takes as long as it did last.
 * @param measures `{ id, module, params, rounds?, boxes? }`: in how many rounds one takes part at most, and how many
 * boxes of time it has. One that did not end in its time, or failed, takes part in no further round.
 * @returns by id, the numbers of every round
 */
export async function inRounds(measures, { rounds, budget, boxMs, say = () => undefined, run = runFresh }) {
  const results = new Map(measures.map(({ id }) => [id, []]));
  const took = new Map(measures.map(({ id }) => [id, 0]));
  for (let round = 0; round < rounds; round += 1) {
    const turned = measures.map((_, turn) => measures[(turn + round) % measures.length]);
    const taking = turned.filter(({ id, rounds: own = rounds }) => takesPart(results.get(id), round, own));
    if (round > 0 && !budget.has(taking.reduce((sum, { id }) => sum + took.get(id), 0))) break;
    for (const measure of taking) {
      say(`round ${round + 1}/${rounds}: ${measure.id}`);
      const start = performance.now();
      results.get(measure.id).push({ ...(await run(measure, boxMs * (measure.boxes ?? 1))), round });
      took.set(measure.id, performance.now() - start);
    }
  }
  return new Rounds(results);
}

function takesPart(earlier, round, own) {
  return round < own && earlier.every(({ failed, over }) => failed === undefined && over === undefined);
}

/** The numbers of several measures over several rounds. */
export class Rounds {
  #results;

  constructor(results) {
    this.#results = results;
  }

  /** How many rounds there were. */
  get count() {
    return Math.max(0, ...[...this.#results.values()].map((all) => all.length));
  }

  /** Why a measure gave no numbers; `undefined` where it did. */
  failure(id) {
    return this.#all(id).find(({ failed }) => failed !== undefined)?.failed;
  }

  /** The seconds after which a measure was stopped; `undefined` where it ended. Its numbers are those of that moment. */
  over(id) {
    return this.#all(id).find(({ over }) => over !== undefined)?.over;
  }

  /** Median, least and greatest of one number of one measure; `undefined` where it has none. */
  of(id, key) {
    const values = this.#all(id)
      .map((numbers) => numbers[key])
      .filter(Number.isFinite);
    return values.length === 0 ? undefined : summary(values);
  }

  /** The median of the ratios of a number to that of another measure, each taken within one round. */
  ratio(id, key, base, baseKey = key) {
    return this.ratioToLeast(id, key, [base], baseKey);
  }

  /** The same, to whichever of some others was the least in that round. */
  ratioToLeast(id, key, others, otherKey = key) {
    const ratios = this.#all(id)
      .map((numbers) => numbers[key] / this.#least(others, otherKey, numbers.round))
      .filter(Number.isFinite);
    return ratios.length === 0 ? undefined : median(ratios);
  }

  /** Everything, for `--json`. */
  toJSON() {
    return Object.fromEntries(this.#results);
  }

  #all(id) {
    return this.#results.get(id) ?? [];
  }

  #least(ids, key, round) {
    const here = ids
      .map((id) => this.#all(id).find((numbers) => numbers.round === round)?.[key])
      .filter(Number.isFinite);
    return here.length === 0 ? undefined : Math.min(...here);
  }
}
