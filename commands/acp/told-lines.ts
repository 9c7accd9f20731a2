import type { Shown } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import { withOutputs } from '../host/index.js';

/** What the program writes for a person who has no terminal: kept until somebody takes it. */
export class ToldLines {
  readonly #kept: string[] = [];
  #take: ((text: string) => void) | undefined;

  /** Gives what was kept so far. */
  kept(): readonly string[] {
    return this.#kept.splice(0);
  }

  /** Hands over everything from now on. */
  to(take: (text: string) => void): void {
    this.#take = take;
  }

  /** The surroundings, with this in the place of both outputs. */
  in(io: Io): Io {
    const write = (text: Shown): boolean => {
      const words = String(text).trim();
      if (words !== '') this.#tell(words);
      return true;
    };
    const stream = new Proxy(io.stderr, {
      get: (target, key): unknown => {
        if (key === 'write') return write;
        return key === 'columns' || key === 'isTTY' ? undefined : Reflect.get(target, key);
      },
    });
    return withOutputs(io, { stdout: stream, stderr: stream });
  }

  #tell(words: string): void {
    if (this.#take === undefined) this.#kept.push(words);
    else this.#take(words);
  }
}
