import { readdir, readFile } from 'node:fs/promises';

/**
 * Environment variable that marks the processes of a command. Its value is the key of the call, which is the
 * same for all attempts.
 */
export const MARKER = 'HITL_COMMAND';

/** A process that a command left running. */
export interface LeftBehind {
  readonly pid: number;
  /** Name of the program, as truncated by the kernel. */
  readonly name: string;
}

/**
 * Finds the processes of a command by the marker in their environment. If a process group is given, its
 * processes are excluded. Misses processes that clear their environment, and finds nothing on systems without
 * `/proc`.
 */
export async function leftBehind(marker: string, group?: number): Promise<readonly LeftBehind[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.filter((name) => /^\d+$/u.test(name)).map(Number);
  const found = await Promise.all(pids.map((pid) => processOf(pid, marker, group)));
  return found.filter((process) => process !== undefined);
}

async function processOf(
  pid: number,
  marker: string,
  group: number | undefined,
): Promise<LeftBehind | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    if (!environment.split('\0').includes(`${MARKER}=${marker}`)) return undefined;
    const [, name = '', rest = ''] =
      /^\d+ \((.*)\) (.*)$/su.exec(await readFile(`/proc/${pid}/stat`, 'latin1')) ?? [];
    const [state, , itsGroup] = rest.split(' ');
    // Those of the group were ended with it.
    return state === 'Z' || Number(itsGroup) === group ? undefined : { pid, name };
  } catch {
    return undefined; // Another user's, or it has ended.
  }
}
