import { isInstalled } from '../../scripts/tools.mjs';
import type { MessagesServer } from '../../tools/peers/messages-server.mjs';

export type { MessagesServer };

/** Is the server of others there? Tests that need it are skipped where not: `npm run tools` installs it. */
export const hasMessagesServer = isInstalled();

/** Starts a server of the Messages API that others wrote. It validates nothing. */
export async function startMessagesServer(): Promise<MessagesServer> {
  const { MessagesServer } = await import('../../tools/peers/messages-server.mjs');
  const server = new MessagesServer({ port: 0, logLevel: 'silent' });
  await server.start();
  return server;
}
