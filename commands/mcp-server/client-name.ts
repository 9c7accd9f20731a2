import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { isJsonObject, membersOf, toWellFormed } from '../../src/core/index.js';

/** The characters of a name that people are told. */
const LONGEST = 60;
const NAMELESS = 'a program';

/** The name that a client gives itself, with signs that show as what they are. */
export function clientName(server: McpServer, { mcpReq }: ServerContext, infoKey: string): string {
  const info = membersOf(mcpReq.envelope)[infoKey];
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- an older client says it once, when it connects
  const name = isJsonObject(info) ? info['name'] : server.server.getClientVersion()?.name;
  if (typeof name !== 'string') return NAMELESS;
  const shown = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return shown === '' ? NAMELESS : toWellFormed(shown.slice(0, LONGEST));
}
