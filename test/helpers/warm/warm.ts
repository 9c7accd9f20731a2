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

/** A process that has loaded a program, and has one run at a time. */
interface Host {
  readonly program: string;
  readonly child: ChildProcess;
  isBusy: boolean;
}

/** As many of one program as run at a time in one process of tests. */
const AT_ONCE = 2;
const hosts = new Set<Host>();

/** Whether a run gives only variables that are read anew, and keeps no connection that the next run could take. */
export function isPlain(args: readonly string[], given: Readonly<Record<string, string>>): boolean {
  return Object.keys(given).every(isOfProgram) && !args.includes('--base-url');
}

/** Variables that are not the program's own and are looked up each time they are used. */
const READ_ANEW: readonly string[] = ['PATH', 'TMPDIR'];

/** Whether each run reads a variable anew. Node or a library may read others once, when the process starts. */
export function isOfProgram(name: string): boolean {
  return name.startsWith('HITL_') || READ_ANEW.includes(name);
}

/**
 * Runs a built program in a process that has loaded it already: its start takes longer than most commands. Undefined
 * where none is free.
 */
export function runWarm(program: string, wanted: Wanted): Promise<Ran> | undefined {
  const own = [...hosts].filter((host) => host.program === program);
  const host = own.find(({ isBusy }) => !isBusy) ?? (own.length < AT_ONCE ? begun(program) : undefined);
  return host === undefined ? undefined : ran(host, wanted);
}

async function ran(host: Host, wanted: Wanted): Promise<Ran> {
  host.isBusy = true;
  try {
    return await answered(host.child, wanted);
  } finally {
    host.isBusy = false;
  }
}

/** It ends with whoever began it, and keeps nobody waiting. */
function begun(program: string): Host {
  const child = fork(HOST, [program], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  child.unref();
  child.channel?.unref();
  const host: Host = { program, child, isBusy: false };
  hosts.add(host);
  child.once('exit', () => {
    hosts.delete(host);
  });
  return host;
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
