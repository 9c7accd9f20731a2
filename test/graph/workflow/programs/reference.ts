// What a program means, without a journal: plain promises, one after the other as they are settled. Nothing of the product
// is used here, so that the two can only agree by meaning the same.
import type { Part } from './program.js';

/** Ends of parts that a program waits for. */
interface Pending {
  readonly gives: (value: string) => void;
  readonly fails: (error: Error) => void;
  readonly place: Place;
}

type BranchEnd = { readonly value: unknown } | { readonly error: Error };

/** Branches of which one has to be said to decide: the journal says which, and it has to be one that may. */
interface Group {
  readonly place: Place;
  readonly isDue: () => boolean;
  readonly decide: (branch: string) => void;
}

/** A part of the program that may be left for good. */
class Place {
  readonly prefix: string;
  readonly #around: Place | undefined;
  readonly counts = new Map<string, number>();
  #isLeft = false;

  constructor(prefix: string, around?: Place) {
    this.prefix = prefix;
    this.#around = around;
  }

  get isLeft(): boolean {
    return this.#isLeft || this.#around?.isLeft === true;
  }

  leave(): void {
    this.#isLeft = true;
  }

  keyOf(name: string): string {
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    return `${this.prefix}${name}#${count}`;
  }
}

/** The result of a program: what it gave, or the message of its failure. */
export type End = { readonly gave: unknown } | { readonly failed: string };

/** A run of a program that goes on as it is told what its parts came to. */
export class Reference {
  readonly #pending = new Map<string, Pending>();
  readonly #parts = new Map<string, Part>();
  readonly #groups = new Map<string, Group>();
  readonly #left: Place[] = [];
  end: End | undefined;

  constructor(program: readonly Part[]) {
    void this.#sequence(program, new Place('')).then(
      (gave) => {
        this.end = { gave };
      },
      (error: unknown) => {
        this.end = { failed: error instanceof Error ? error.message : '' };
      },
    );
  }

  /** The keys of what the program waits for now: of steps, or of people, time and events. */
  waiting(kind: 'steps' | 'outside'): readonly string[] {
    return [...this.#pending]
      .filter(
        ([key, { place }]) => !place.isLeft && (this.#parts.get(key)?.do === 'step') === (kind === 'steps'),
      )
      .map(([key]) => key)
      .sort();
  }

  /** A part comes to its end; one of a branch that is left changes nothing. @throws where the program never began it */
  async settle(key: string, end: { readonly value: string } | { readonly error: string }): Promise<void> {
    const pending = this.#pending.get(key);
    if (pending === undefined && this.#isLeft(key)) return;
    if (pending === undefined) throw new Error(`the program does not wait for ${key}`);
    this.#pending.delete(key);
    if (pending.place.isLeft) return;
    if ('value' in end) pending.gives(end.value);
    else pending.fails(new Error(end.error));
    await flushed();
  }

  /** The journal says which branch decided. @throws where it is none that may */
  async decide(key: string, branch: string): Promise<void> {
    const group = this.#groups.get(key);
    if (this.#isLeft(key)) return;
    if (group === undefined) throw new Error(`nothing is to be decided at ${key}`);
    group.decide(branch);
    await flushed();
  }

  /** The keys of branches of which one decides, and nobody has said so. */
  get undecided(): readonly string[] {
    return [...this.#groups].flatMap(([key, { place, isDue }]) => (!place.isLeft && isDue() ? [key] : []));
  }

  #leave(place: Place): void {
    place.leave();
    this.#left.push(place);
  }

  #isLeft(key: string): boolean {
    return this.#left.some(({ prefix }) => key.startsWith(prefix));
  }

  async #sequence(body: readonly Part[], place: Place): Promise<readonly unknown[]> {
    const results: unknown[] = [];
    for (const part of body) results.push(await this.#part(part, place));
    return results;
  }

  async #part(part: Part, place: Place): Promise<unknown> {
    switch (part.do) {
      case 'step':
      case 'ask':
      case 'sleep':
      case 'event':
        return this.#wait(part, part.name, place);
      case 'loop': {
        const results: unknown[] = [];
        for (let round = 0; round < part.times; round += 1)
          results.push(await this.#sequence(part.body, place));
        return results;
      }
      case 'attempt':
        try {
          return await this.#sequence(part.body, place);
        } catch (error) {
          const undone = await this.#sequence(part.rollback, place);
          return [error instanceof Error ? error.message : '', undone];
        }
      case 'all':
      case 'any':
      case 'race':
      case 'settled':
        return this.#branches(part, place);
    }
  }

  #wait(part: Part, name: string, place: Place): Promise<string> {
    if (place.isLeft) return new Promise(() => undefined);
    const key = place.keyOf(name);
    this.#parts.set(key, part);
    return new Promise((gives, fails) => {
      this.#pending.set(key, { gives, fails, place });
    });
  }

  async #branches(
    { do: join, name, branches }: Part & { readonly do: 'all' | 'any' | 'race' | 'settled' },
    place: Place,
  ): Promise<unknown> {
    const key = place.keyOf(name);
    const own = key.replace(/#1$/, '');
    const places = new Map(Object.keys(branches).map((one) => [one, new Place(`${own}/${one}/`, place)]));
    const ends = new Map<string, BranchEnd>();
    const decides = (end: BranchEnd): boolean =>
      join === 'race' || (join === 'any' && 'value' in end) || (join === 'all' && 'error' in end);
    return new Promise((gives, fails) => {
      this.#groups.set(key, {
        place,
        isDue: () => [...ends.values()].some(decides),
        decide: (branch) => {
          const end = ends.get(branch);
          if (end === undefined || !decides(end)) throw new Error(`${branch} does not decide ${key}`);
          for (const [other, one] of places) if (other !== branch) this.#leave(one);
          this.#groups.delete(key);
          if ('value' in end) gives(end.value);
          else fails(end.error);
        },
      });
      const ended = (branch: string, end: BranchEnd): void => {
        ends.set(branch, end);
        if (ends.size < places.size || [...ends.values()].some(decides)) return;
        this.#groups.delete(key);
        const all = Object.keys(branches).map((one) => [one, ends.get(one) ?? { value: undefined }] as const);
        if (join === 'any') {
          const reasons = all.map(([one, what]) => `${one}: ${'error' in what ? what.error.message : ''}`);
          fails(new Error(`no branch of \`${name}\` succeeded: ${reasons.join('; ')}`));
        } else
          gives(
            Object.fromEntries(
              all.map(([one, what]) => [one, join === 'all' ? valueIn(what) : shownEnd(what)]),
            ),
          );
      };
      for (const [branch, body] of Object.entries(branches))
        void this.#sequence(body, places.get(branch) ?? place).then(
          (value) => {
            ended(branch, { value });
          },
          (error: unknown) => {
            ended(branch, { error: error instanceof Error ? error : new Error('') });
          },
        );
    });
  }
}

function valueIn(end: BranchEnd): unknown {
  return 'value' in end ? end.value : undefined;
}

function shownEnd(end: BranchEnd): unknown {
  return 'error' in end ? { error: end.error.message } : { value: end.value };
}

/** Everything that follows at once has happened. */
async function flushed(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await Promise.resolve();
}
