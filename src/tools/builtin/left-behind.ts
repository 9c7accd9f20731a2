import { readdir, readFile } from 'node:fs/promises';

/** Variable that marks a command's processes: the call's key, the same for all attempts. */
export const MARKER = 'HITL_COMMAND';

/** A remaining process of a command. */
export interface LeftBehind {
  readonly pid: number;
  /** Its program, as shortened by the kernel. */
  readonly name: string;
}

/**
 * Finds a command's processes outside a process group, by the marker in their environment; without a group,
 * all of them. Misses processes that clear their environment. Finds nothing on systems without `/proc`.
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
