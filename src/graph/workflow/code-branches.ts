import { HitlError, messageOf, recordOf, thrownFrom } from '../../core/index.js';
import type { CodeOperations } from '../definition/graph-definition.js';

// Branches end each other by chance of timing. What decided is chosen once and kept: a replay knows it before it begins.

type Ended = PromiseSettledResult<unknown>;

/** A branch's name and function. */
export type BranchBody = readonly [name: string, body: (operations: CodeOperations) => unknown];

/** How a branch must end to decide the result for all branches. */
export type Decisive = Ended['status'] | 'any' | 'none';

/** How a group of branches ended. */
export type BranchesEnd =
  | { readonly type: 'decided'; readonly branch: string; readonly end: Ended }
  | { readonly type: 'all'; readonly ends: ReadonlyMap<string, Ended> };

/** Runs branches in parallel, up to a limit, until all have ended or one decides the result. */
export async function runBranchesOfCode(
  operations: CodeOperations,
  {
    name,
    bodies,
    limit,
  }: { readonly name: string; readonly bodies: readonly BranchBody[]; readonly limit: number },
  decisive: Decisive,
): Promise<BranchesEnd> {
  if (!(limit >= 1)) throw new HitlError('NODE_FAILED', `\`${name}\` must run at least 1 branch at a time`);
  const chosen = operations.choose({ kind: 'race', name, of: bodies.map(([branch]) => branch) });
  const own = chosen.key.slice(chosen.key.lastIndexOf('/') + 1).replace(/#1$/, '');
  const turns = new Turns(limit);
  const places = new Map(
    bodies.map(([branch]) => [
      branch,
      operations.branch(`${own}/${branch}`, {
        ends: () => {
          turns.end(branch);
        },
        begins: () => turns.begin(branch),
      }),
    ]),
  );
  const known = typeof chosen.known === 'string' ? chosen.known : undefined;
  if (known !== undefined) for (const [branch, place] of places) if (branch !== known) await place.close();
  const running = bodies.map(async ([branch, body]): Promise<readonly [string, Ended]> => {
    const place = places.get(branch);
    if (place === undefined) throw new HitlError('INTERNAL', `no branch \`${branch}\``);
    await turns.begin(branch);
    try {
      return [branch, { status: 'fulfilled', value: await body(place.operations) }];
    } catch (reason) {
      return [branch, { status: 'rejected', reason }];
    } finally {
      turns.end(branch);
    }
  });
  const first = await firstOf(running, ([branch, { status }]) =>
    known === undefined ? decisive === 'any' || status === decisive : branch === known,
  );
  if (first === undefined) return { type: 'all', ends: new Map(await Promise.all(running)) };
  const [branch, end] = first;
  if (known === undefined) {
    await chosen.keep(branch);
    for (const [other, place] of places) if (other !== branch) await place.close();
  }
  return { type: 'decided', branch, end };
}

/** Returns the first matching result to arrive; `undefined` if none matches. */
async function firstOf<T>(
  running: readonly Promise<T>[],
  fits: (result: T) => boolean,
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const all = running.map(async (one) => {
      const result = await one;
      if (fits(result)) resolve(result);
    });
    Promise.all(all).then(() => {
      resolve(undefined);
    }, reject);
  });
}

/** Creates the error for a group in which no branch succeeded. */
export function noneSucceeded(name: string, ends: ReadonlyMap<string, Ended>): HitlError {
  const reasons = [...ends].map(([branch, end]) =>
    end.status === 'rejected' ? `${branch}: ${messageOf(end.reason)}` : branch,
  );
  return new HitlError('NODE_FAILED', `no branch of \`${name}\` succeeded: ${reasons.join('; ')}`);
}

/** Returns a branch's value, or throws the error of a failed branch. */
export function valueOf(end: Ended): unknown {
  if (end.status === 'fulfilled') return end.value;
  throw end.reason instanceof Error ? end.reason : thrownFrom(recordOf(end.reason));
}

interface Waiting {
  readonly branch: string;
  readonly go: () => void;
}

/**
 * Limits the number of branches that work at the same time. A branch that waits for a person gives up its
 * turn.
 */
class Turns {
  readonly #limit: number;
  readonly #taken = new Set<string>();
  /** Branches that are waiting for a turn, in order of arrival. */
  readonly #waiting = new Set<Waiting>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  async begin(branch: string): Promise<void> {
    if (this.#taken.has(branch)) return;
    if (this.#taken.size >= this.#limit)
      await new Promise<void>((go) => {
        this.#waiting.add({ branch, go });
      });
    this.#taken.add(branch);
  }

  /** Frees a branch's turn, because the branch has ended or is waiting. */
  end(branch: string): void {
    if (!this.#taken.delete(branch)) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#taken.add(next.branch);
    next.go();
  }
}
