import { isAbsolute } from 'node:path';
import type { JsonObject } from '../../src/core/index.js';
import { isJsonObject, parseStrictJson, plainLine } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import type { AgentName, HookEvent } from '../asking/agents.js';
import { EVENTS } from '../asking/agents.js';

/** Maximum size of an event, in bytes. An event may contain a whole file that is about to be written. */
const MOST_BYTES = 12_000_000;
/** Maximum length of a name in an event, in characters. */
const LONGEST = 200;

/**
 * An event that a hook received. `unknown`: valid JSON, but not a supported event. `broken`: too long, or not
 * a valid event from an agent.
 */
export type ReadEvent = HookEvent | { readonly event: 'unknown' } | { readonly event: 'broken' };

export async function readEvent(io: Io, agent: AgentName): Promise<ReadEvent> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return { event: 'broken' };
    chunks.push(chunk);
  }
  return eventIn(Buffer.concat(chunks).toString('utf8'), agent);
}

/** Parses an event. */
function eventIn(text: string, agent: AgentName): ReadEvent {
  const json = parseStrictJson(text.trim());
  if (!json.ok || !isJsonObject(json.value)) return { event: 'broken' };
  const said = json.value;
  const event = EVENTS.find((name) => name === said['hook_event_name']);
  if (event === undefined) return { event: 'unknown' };
  const session = nameIn(said, 'session_id');
  const tool = nameIn(said, 'tool_name');
  const folder = said['cwd'];
  const input = said['tool_input'];
  const call = said['tool_use_id'] === undefined ? undefined : nameIn(said, 'tool_use_id');
  if (session === undefined || tool === undefined || input === undefined) return { event: 'broken' };
  if (!isJsonObject(input) || typeof folder !== 'string' || !isAbsolute(folder)) return { event: 'broken' };
  if (said['tool_use_id'] !== undefined && call === undefined) return { event: 'broken' };
  return {
    ...{ agent, event, session, folder, tool, input },
    ...(call !== undefined && { call }),
    mode: nameIn(said, 'permission_mode') ?? '',
  };
}

function nameIn(said: JsonObject, key: string): string | undefined {
  const value = said[key];
  const isName = typeof value === 'string' && value !== '' && value.length <= LONGEST;
  return isName && plainLine(value, LONGEST) === value ? value : undefined;
}
