import type { Shown } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import { withOutputs } from '../host/index.js';

/** Collects output for a user who has no terminal, until it is read. */
export class ToldLines {
  readonly #kept: string[] = [];
  #take: ((text: string) => void) | undefined;

  /** Returns the output kept so far, and clears it. */
  kept(): readonly string[] {
    return this.#kept.splice(0);
  }

  /** Passes all further output to a callback. */
  to(take: (text: string) => void): void {
    this.#take = take;
  }

  /** Returns the environment with both output streams redirected to this object. */
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
