import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const HOST = fileURLToPath(new URL('host.mjs', import.meta.url));

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Wanted {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input: readonly (string | Uint8Array)[];
}

let host: ChildProcess | undefined;
let isBusy = false;

/** Whether the one warm process of this file can take a run now: it has one at a time. */
export function isWarmFree(): boolean {
  return !isBusy;
}

/** Runs the built program in a process that has loaded it already: its start takes longer than most commands. */
export async function runWarm(program: string, wanted: Wanted): Promise<Ran> {
  isBusy = true;
  try {
    host ??= begun(program);
    return await answered(host, wanted);
  } finally {
    isBusy = false;
  }
}

/** It ends with whoever began it, and keeps nobody waiting. */
function begun(program: string): ChildProcess {
  const child = fork(HOST, [program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  child.unref();
  child.channel?.unref();
  child.once('exit', () => {
    host = undefined;
  });
  return child;
}

async function answered(child: ChildProcess, wanted: Wanted): Promise<Ran> {
  const heard = new AbortController();
  child.channel?.ref();
  child.ref();
  try {
    return await Promise.race([
      once(child, 'message', heard).then(([ran]) => ran as Ran),
      once(child, 'exit', heard).then(([code]) => {
        throw new Error(`the warm program ended with ${String(code)}`);
      }),
      new Promise<never>((_, reject) => {
        child.send(wanted, (error) => {
          if (error !== null) reject(error);
        });
      }),
    ]);
  } finally {
    heard.abort();
    child.channel?.unref();
    child.unref();
  }
}
