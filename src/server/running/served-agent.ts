import { HitlError, sha256 } from '../../core/index.js';
import type { ChatOptions } from '../../library/index.js';

/** The agent of a server, defined where the server is created, never by a request. */
export interface ServedAgent extends Pick<ChatOptions, 'model' | 'tools' | 'system' | 'limits'> {
  /**
   * Name of the agent, letters and digits: it continues sessions started under this name. Default: derived from its
   * model, system prompt and tool names.
   */
  readonly name?: string;
  /** Number of sessions that run at once; further starts are refused for now. Default: 32. */
  readonly slots?: number;
}

/** The options of each chat of the agent. */
export function chatOptions({ name: _name, slots: _slots, ...options }: ServedAgent): ChatOptions {
  return options;
}

/** Default number of running sessions. */
export const SLOTS = 32;

const NAME = /^[a-z0-9]{1,32}$/u;
const MADE_LENGTH = 8;

/**
 * The name by which an agent knows its sessions. @throws HitlError BAD_CONFIG for one that cannot be part of
 * an id
 */
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
