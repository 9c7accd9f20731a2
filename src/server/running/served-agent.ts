import { HitlError, sha256 } from '../../core/index.js';
import type { ChatOptions } from '../../library/index.js';

/** The agent that a server runs. It is defined where the server is created, never by a request. */
export interface ServedAgent extends Pick<ChatOptions, 'model' | 'tools' | 'system' | 'limits'> {
  /**
   * Name of the agent, made of letters and digits. The agent continues sessions started under this name.
   * Default: derived from its model, system prompt and tool names.
   */
  readonly name?: string;
  /**
   * Maximum number of sessions running at once. If all slots are taken, requests to start a session are
   * refused. Default: 32.
   */
  readonly slots?: number;
}

/** Returns the options for the agent's chats. */
export function chatOptions({ name: _name, slots: _slots, ...options }: ServedAgent): ChatOptions {
  return options;
}

/** Default number of sessions running at once. */
export const SLOTS = 32;

const NAME = /^[a-z0-9]{1,32}$/u;
const MADE_LENGTH = 8;

/**
 * Returns the name that identifies the sessions of an agent.
 * @throws HitlError BAD_CONFIG for a name that cannot be part of a session ID
 */
export function nameOf({ name, model, system = '', tools = [] }: ServedAgent): string {
  if (name === undefined) {
    const names = [...tools].map((tool) => tool.name).sort();
    return sha256(JSON.stringify([model.id, system, names])).slice(0, MADE_LENGTH);
  }
  if (NAME.test(name)) return name;
  throw new HitlError('BAD_CONFIG', `invalid agent name \`${name}\``, {
    hint: 'a name is 1 to 32 lowercase letters (a to z) and digits',
  });
}
