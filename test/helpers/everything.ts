import path from 'node:path';

import { isInstalled } from '../../scripts/tools.mjs';
import type { JsonValue } from '../../src/core/index.js';
import type { McpServer, ServerQuestion, ServersOptions } from '../../src/tools/mcp/index.js';
import { McpServers } from '../../src/tools/mcp/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { root } from '../meta/project.js';

/** Is the protocol's own server there? Tests that need it are skipped where not: `npm run tools` installs it. */
export const hasEverything = isInstalled();

/** The program of that server. */
export const EVERYTHING = path.join(
  root,
  'tools/node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);

/** That server, as a program that is started. */
export function everything(more: Partial<McpServer & { type: 'stdio' }> = {}): McpServer {
  return programServer(EVERYTHING, { name: 'everything', ...more });
}

/** A server that is a module of Node's. */
export function programServer(file: string, more: Partial<McpServer & { type: 'stdio' }>): McpServer {
  return {
    type: 'stdio',
    name: path.basename(file, path.extname(file)),
    from: '--mcp',
    command: process.execPath,
    args: [file],
    env: {},
    cwd: process.cwd(),
    ...more,
  };
}

/** A person who is asked: what they say, or nothing where they decline. */
export type Asking = (
  question: ServerQuestion,
  asker: string,
  signal: AbortSignal,
) => Promise<JsonValue | undefined>;

/** Servers that are there, with what was told of them. */
export async function runningServers(
  servers: readonly McpServer[],
  {
    root,
    ask,
    logins,
    tellsLeftOut,
    allowHttp,
  }: Partial<
    Pick<ServersOptions, 'root' | 'logins' | 'tellsLeftOut' | 'allowHttp'> & { readonly ask: Asking }
  > = {},
): Promise<McpServers & { readonly told: string[] }> {
  const told: string[] = [];
  const running = new McpServers(servers, {
    version: '0.0.0',
    clock: systemClock,
    ...(root !== undefined && { root }),
    ...(ask !== undefined && {
      ask: async ({ question, asker, keep }, signal) => {
        await keep?.();
        const output = await ask(question, asker, signal);
        const resolution =
          output === undefined ? ({ action: 'cancel' } as const) : ({ action: 'respond', output } as const);
        return { resolution, by: { type: 'person', name: 'ann', via: 'terminal' } };
      },
    }),
    ...(logins !== undefined && { logins }),
    ...(tellsLeftOut !== undefined && { tellsLeftOut }),
    ...(allowHttp !== undefined && { allowHttp }),
    notice: (_server, line) => void told.push(line),
    logged: () => undefined,
  });
  await running.settled(20_000);
  return Object.assign(running, { told });
}
