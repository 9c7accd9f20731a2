import type { ToolRef } from '../ids.js';
import { toolRef } from '../ids.js';

interface NamedRequest {
  readonly name: string;
  /** As the transcript has it; absent where a provider gave none. */
  readonly given: string | undefined;
  readonly ref: ToolRef;
}

/**
 * Gives every tool request of a transcript a ref of its own: providers leave refs out, and use them again in a later
 * turn. The calls that wait, in the last message, keep the refs that are `reserved`; a response gets the ref of the request that it answers.
 */
export class TranscriptRefs {
  readonly #reserved: ReadonlySet<string>;
  readonly #taken: Set<string>;
  /** The requests of the message before, which the next one answers. */
  #before: NamedRequest[] = [];
  #current: NamedRequest[] = [];
  #isLast = false;

  constructor(reserved: Iterable<string>) {
    this.#reserved = new Set(reserved);
    this.#taken = new Set(this.#reserved);
  }

  /** The requests that were read since the last call are those that the next message answers. */
  nextMessage(isLast: boolean): void {
    this.#before = this.#current;
    this.#current = [];
    this.#isLast = isLast;
  }

  /** `place` makes a ref where there is none. */
  ofRequest(name: string, ref: string | undefined, place: string): ToolRef {
    const given = ref === '' ? undefined : ref;
    const known = toolRef(this.#free(given ?? `call-${place}`));
    this.#taken.add(known);
    this.#current.push({ name, given, ref: known });
    return known;
  }

  ofResponse(name: string, ref: string | undefined): ToolRef {
    const given = ref === '' ? undefined : ref;
    const index = this.#before.findIndex((request) =>
      given === undefined ? request.name === name : request.given === given,
    );
    const [request] = index === -1 ? [] : this.#before.splice(index, 1);
    return request?.ref ?? toolRef(given ?? name);
  }

  #free(wanted: string): string {
    const isMine = this.#isLast && this.#reserved.has(wanted);
    if (isMine && !this.#current.some(({ ref }) => ref === wanted)) return wanted;
    let ref = wanted;
    for (let n = 2; this.#taken.has(ref); n += 1) ref = `${wanted}~${n}`;
    return ref;
  }
}
