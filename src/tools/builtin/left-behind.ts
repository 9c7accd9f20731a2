import { readdir, readFile } from 'node:fs/promises';

/** A variable that tells a command's processes from all others: it holds the key of the call, the same for all attempts. */
export const MARKER = 'HITL_COMMAND';

/** A process that a command started and that is still there. */
export interface LeftBehind {
  readonly pid: number;
  /** Its program, as the kernel shortens it. */
  readonly name: string;
}

/**
 * Looks for processes of a command that are not in a process group, by the marker in their environment; for all of them
 * without a group. Whoever clears the environment is not found; without `/proc` nobody is.
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
