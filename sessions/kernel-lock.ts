import { errnoOf } from '../src/core/index.js';
import { runProgram } from '../src/programs/index.js';

/**
 * Puts a kernel lock on an open file: it holds until the descriptor is closed or the process is gone, however it
 * goes. `undefined` where this helper does not work here.
 */
export type LockHelper = (fd: number) => 'locked' | 'held' | undefined;

const TIMEOUT_MS = 5000;
/** Every helper is given the descriptor under this number. */
const CHILD_FD = 3;
const NONE_NOW: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

function viaProcess(command: string, args: readonly string[]): LockHelper {
  return (fd) => {
    const { status, error } = runProgram(
      'lock',
      { program: command, args },
      { stdio: ['ignore', 'ignore', 'ignore', fd], timeout: TIMEOUT_MS },
    );
    // The helper is there, and the system starts no process now.
    if (error !== undefined && NONE_NOW.has(errnoOf(error) ?? '')) throw error;
    if (status === 0) return 'locked';
    return status === 1 ? 'held' : undefined;
  };
}

/** `flock(1)` of util-linux or busybox. */
export function flockHelper(command = 'flock'): LockHelper {
  return viaProcess(command, ['-n', String(CHILD_FD)]);
}

/** The same call through perl, for systems that have no `flock(1)`. */
export function perlHelper(command = 'perl'): LockHelper {
  const script = `use Fcntl ":flock"; open(my $f, "+<&=${CHILD_FD}") or exit 2; exit(flock($f, LOCK_EX | LOCK_NB) ? 0 : 1)`;
  return viaProcess(command, ['-e', script]);
}

/** The helpers that are tried, in this order. */
export const LOCK_HELPERS: readonly LockHelper[] = [flockHelper(), perlHelper()];
