import { HitlError, sha256 } from '../../core/index.js';
import type { ChatOptions } from '../../library/index.js';

/** The agent that a server runs: what it is made of is said where the server is made, and never by a request. */
export interface ServedAgent extends Pick<ChatOptions, 'model' | 'tools' | 'system' | 'limits'> {
  /**
   * Names the agent, in letters and digits: it goes on with sessions that began under this name. Default: a name made
   * of its model, its system prompt and the names of its tools, so that another agent has another one.
   */
  readonly name?: string;
  /** The number of sessions that run at the same time; who would begin another one is told to come again. Default: 32. */
  readonly slots?: number;
}

/** The options of each chat of the agent. */
export function chatOptions({ name: _name, slots: _slots, ...options }: ServedAgent): ChatOptions {
  return options;
}

/** The number of sessions that run at the same time, where nothing is said. */
export const SLOTS = 32;

const NAME = /^[a-z0-9]{1,32}$/u;
const MADE_LENGTH = 8;

/** The name by which an agent knows its sessions. @throws HitlError BAD_CONFIG for one that cannot be in an id */
export function nameOf({ name, model, system = '', tools = [] }: ServedAgent): string {
  if (name === undefined) {
    const names = [...tools].map((tool) => tool.name).sort();
    return sha256(JSON.stringify([model.id, system, names])).slice(0, MADE_LENGTH);
  }
  if (NAME.test(name)) return name;
  throw new HitlError('BAD_CONFIG', `\`${name}\` cannot name an agent`, {
    hint: 'a name is 1 to 32 letters from a to z and digits',
  });
}
