import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { Home } from '../helpers/program.js';

const PEERS = pathToFileURL(join(import.meta.dirname, '../../tools/servers/find-peers.mjs')).href;

/** A person whose sessions are in a database. */
export class Person extends Home {
  readonly #url: string;

  constructor(url: string) {
    super();
    this.#url = url;
  }

  override get env(): Record<string, string> {
    return { ...super.env, HITL_STORE: this.#url, NODE_OPTIONS: `--import ${PEERS}` };
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
