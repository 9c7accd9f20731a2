import { randomUUID } from 'node:crypto';

import { joined, shown } from '../src/core/index.js';
import { questionsHere } from './running/questions-here.js';
import type { SessionFlags } from './flags/options.js';
import type { Io } from './host/index.js';
import { tell, version } from './host/index.js';
import { askingServer } from './mcp-server/asking-server.js';
import { loadServerSdk } from './mcp-server/sdk.js';
import { openStore, userKey } from './store/store.js';

interface ServeFlags extends SessionFlags {
  /** Milliseconds. */
  readonly wait?: number;
  readonly askInClient?: boolean;
}

/** How long a call to a tool waits for an answer, in milliseconds. Most clients give up after a minute. */
const WAIT_MS = 50_000;

/**
 * `hitl mcp`, `hitl mcp serve`: runs a server through which other programs ask the user, until stdin ends.
 */
export async function serveMcp(io: Io, flags: ServeFlags): Promise<number> {
  const sdk = await loadServerSdk();
  const store = openStore(io, flags);
  const questions = questionsHere(io, store);
  const options = {
    ...{ questions, secret: userKey(io), clock: io.clock, version: version() },
    place: io.cwd,
    connection: randomUUID(), // over stdio, one for the life of the process
    waitMs: flags.wait ?? WAIT_MS,
    ...(flags.askInClient === true && { inClient: true }),
  };
  if (io.stdin.isTTY && flags.quiet !== true) tell(io.stderr, joined(HELP));
  const ended = new Promise<void>((resolve) => {
    io.stdin.once('end', resolve).once('close', resolve);
  });
  const serving = sdk.serveStdio(({ era }) => askingServer(sdk, options, era));
  await ended;
  await serving.close();
  return 0;
}

const HELP = [
  shown`This is an MCP server for other programs (JSON on stdin). Ctrl-D exits.`,
  shown`hint: claude mcp add hitl -- hitl mcp`,
];
