// A line to a database that a test cuts, or that falls silent: what is open then says nothing more, and nobody is told.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface Line {
  /** The address of the database through this line. */
  readonly url: string;
  /** Ends all connections. */
  cut(): void;
  /** What is open says nothing more, in either direction, and is not ended; new connections go through. */
  silence(): void;
  /** Leads to the database at another address from now on; what is open stays where it is. */
  move(url: string): void;
  close(): Promise<void>;
}

/** A line to the database at an address. */
export async function lineTo(url: string): Promise<Line> {
  let target = new URL(url);
  const open = new Set<readonly [Socket, Socket]>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    const pair = [near, far] as const;
    open.add(pair);
    const end = (): void => {
      open.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of pair) socket.on('error', end).on('close', end);
    near.pipe(far);
    far.pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const through = new URL(url);
  if (address !== null && typeof address === 'object') through.port = String(address.port);
  const silent = new Set<Socket>();
  const cut = (): void => {
    for (const [near, far] of open) {
      near.destroy();
      far.destroy();
    }
  };
  return {
    url: through.href,
    cut,
    silence() {
      for (const pair of open) {
        const [near, far] = pair;
        open.delete(pair);
        for (const socket of pair) {
          socket.unpipe();
          socket.removeAllListeners('close');
          socket.resume();
          silent.add(socket);
        }
        near.on('error', () => undefined);
        far.on('error', () => undefined);
      }
    },
    move(to) {
      target = new URL(to);
    },
    async close() {
      cut();
      for (const socket of silent) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
