import type { Ran, RunOptions } from '../helpers/program.js';
import { Home } from '../helpers/program.js';

/** A person whose sessions are in a database. */
export class Person extends Home {
  readonly #url: string;

  constructor(url: string) {
    super();
    this.#url = url;
  }

  override get env(): Record<string, string> {
    return { ...super.env, HITL_STORE: this.#url };
  }

  /** Runs the program alone: it holds a connection to the database until it ends. */
  override run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.runAlone(args, options);
  }

  async waiting(): Promise<
    readonly { readonly session: string; readonly id: string; readonly digest: string }[]
  > {
    return JSON.parse((await this.run(['inbox', '--json'])).stdout) as {
      session: string;
      id: string;
      digest: string;
    }[];
  }
}
