import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';

/** Exchanges two names in one step, as fast as it can: the system has a call for it, and Node has not. */
const EXCHANGE = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
pairs = [(a.encode(), b.encode()) for a, b in zip(sys.argv[1::2], sys.argv[2::2])]
if libc.renameat2(-100, pairs[0][0], -100, pairs[0][1], 2) != 0:
    sys.exit(9)
print('ready', flush=True)
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(50):
        for a, b in pairs:
            libc.renameat2(-100, a, -100, b, 2)
`;

/** The same in three steps, for systems without that call. */
const RENAME = `
const { renameSync } = require('node:fs');
const names = process.argv.slice(1);
console.log('ready');
process.on('disconnect', () => process.exit());
const turn = () => {
  for (let round = 0; round < 50; round += 1) {
    for (let index = 0; index < names.length; index += 2) {
      const [one, other] = [names[index], names[index + 1]];
      renameSync(one, one + '.away');
      renameSync(other, one);
      renameSync(one + '.away', other);
    }
  }
  setImmediate(turn);
};
turn();
`;

/** Another process that exchanges names for as long as the work takes: one, two, one, two, each pair two paths. */
export async function whileExchanging(names: readonly string[], work: () => Promise<void>): Promise<void> {
  const racer = start(names);
  try {
    await new Promise<void>((resolve, reject) => {
      racer.stdout?.once('data', () => {
        resolve();
      });
      racer.once('exit', (status) => {
        reject(new Error(`the racer ended with ${String(status)}`));
      });
    });
    await work();
  } finally {
    racer.removeAllListeners('exit');
    racer.kill('SIGKILL');
  }
}

function start(names: readonly string[]): ChildProcess {
  return canExchange()
    ? spawn('python3', ['-c', EXCHANGE, ...names], { stdio: ['ignore', 'pipe', 'inherit'] })
    : spawn(process.execPath, ['-e', RENAME, ...names], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
}

function canExchange(): boolean {
  const probe = 'import ctypes; ctypes.CDLL(None).renameat2';
  return spawnSync('python3', ['-c', probe], { stdio: 'ignore' }).status === 0;
}
