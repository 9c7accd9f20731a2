import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';

import type { RunState, SessionId } from '../src/core/index.js';
import { HitlError, joined, shown } from '../src/core/index.js';
import { absoluteWords } from '../src/programs/index.js';
import { Questions } from './asking/questions.js';
import { loadConfig } from './config/config-file.js';
import type { SessionFlags } from './flags/options.js';
import type { Io } from './host/index.js';
import { tell, version } from './host/index.js';
import { askingServer } from './mcp-server/asking-server.js';
import { loadServerSdk } from './mcp-server/sdk.js';
import { notify } from './running/notify.js';
import { openStore, userKey } from './store/store.js';

interface ServeFlags extends SessionFlags {
  /** Milliseconds. */
  readonly wait?: number;
  readonly askInClient?: boolean;
}

/** How long a call waits for an answer: most clients give up after a minute. */
const WAIT_MS = 50_000;

/** `hitl mcp`, `hitl mcp serve`: runs a server by which other programs ask the user, until its input ends. */
export async function serveMcp(io: Io, flags: ServeFlags): Promise<number> {
  const sdk = await loadServerSdk();
  const store = openStore(io, flags);
  const { outputs } = store.capabilities;
  if (outputs === undefined)
    throw new HitlError('USAGE', 'this store cannot keep files next to its sessions');
  const secret = userKey(io);
  const { path: file, config } = loadConfig(io);
  const command = absoluteWords(config.notify ?? [], dirname(file));
  const filed = (id: SessionId, state: RunState): void => {
    if (command.length === 0) return;
    void notify(io, { command, session: { id, state }, known: new Set() });
  };
  const options = {
    questions: new Questions({ store, secret, clock: io.clock, beside: outputs, filed }),
    ...{ secret, clock: io.clock, version: version() },
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
