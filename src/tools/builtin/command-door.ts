import type { Folder } from '../../files/index.js';

// Invariants:
// D1 A command runs in the folder that is open, whatever was put at its path since: where the path leads elsewhere, it does not run.
// D2 A command gets neither the folder nor the line on which its beginning is told: an open folder would lead out of a sandbox.
// D3 Its beginning is told when all around it is made, just before it is in the shell's place; only a program before it can keep silent.

/**
 * The command line of the gatekeeper, a shell script that runs inside the sandbox just before a command and
 * closes hitl's own open files.
 */
export interface Door {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * The file descriptors that the gatekeeper uses: the folder, and the pipe on which it reports that the
 * command starts.
 */
const FOLDER = 3;
const TOLD = 4;
/** Path to the folder for a process that has it open. `spawn` uses it as the working directory. */
export const THROUGH_FOLDER = `/proc/self/fd/${FOLDER}`;

const SAME_FOLDER = `[ . -ef ${THROUGH_FOLDER} ] || { echo 'the working directory was replaced by another folder' >&2; exit 125; }\n`;
const BEGIN = `exec ${FOLDER}<&-\necho >&${TOLD}\nexec ${TOLD}>&-\nexec "$@"`;

/** Memory limit for each process of an unapproved command, in kilobytes. */
const MOST_MEMORY = 4 * 1024 * 1024;
/** File size limit, in 512-byte blocks. It applies because a copy of the folder is on a real disk. */
const MOST_BLOCKS = 512 * 1024;
/**
 * Shell commands that set the limits. They ignore errors, because the system may already have set a lower
 * limit.
 */
const LIMITS = `ulimit -c 0\nulimit -d ${MOST_MEMORY} 2>/dev/null || :\nulimit -f ${MOST_BLOCKS} 2>/dev/null || :\n`;

/** Wraps a program in the gatekeeper. Adds limits unless the program writes directly to the folder. */
export function throughDoor({ program, args }: Door, folder: Folder, writes: boolean): Door {
  const begin = writes ? BEGIN : LIMITS + BEGIN;
  const script = folder.descriptor === undefined ? begin : SAME_FOLDER + begin;
  return { program: '/bin/sh', args: ['-c', script, 'sh', program, ...args] };
}
