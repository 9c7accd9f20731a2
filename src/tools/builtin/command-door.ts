import type { Folder } from '../../files/index.js';

// Invariants:
// D1 A command runs in the folder that is open, whatever was put at its path since: where the path leads elsewhere, it does not run.
// D2 A command gets neither the folder nor the line on which its beginning is told: an open folder would lead out of a sandbox.
// D3 Its beginning is told when all around it is made, just before it is in the shell's place; only a program before it can keep silent.

/** Last step before a command, inside the sandbox; leaves none of our files open. */
export interface Door {
  readonly program: string;
  readonly args: readonly string[];
}

/** The file descriptors that the door uses. */
const FOLDER = 3;
const TOLD = 4;
/** Path of the folder for a process that has it open; `spawn` uses it. */
export const THROUGH_FOLDER = `/proc/self/fd/${FOLDER}`;

const SAME_FOLDER = `[ . -ef ${THROUGH_FOLDER} ] || { echo 'the working directory is another folder now' >&2; exit 125; }\n`;
const BEGIN = `exec ${FOLDER}<&-\necho >&${TOLD}\nexec ${TOLD}>&-\nexec "$@"`;

/** Kilobytes of memory that one process of a command may fill that nobody was asked about. */
const MOST_MEMORY = 4 * 1024 * 1024;
/** Blocks of 512 bytes of one file: a copy of the folder lies on a real disk. */
const MOST_BLOCKS = 512 * 1024;
/** A system may have set a lower one. */
const LIMITS = `ulimit -c 0\nulimit -d ${MOST_MEMORY} 2>/dev/null || :\nulimit -f ${MOST_BLOCKS} 2>/dev/null || :\n`;

/** Puts the door before a program; one that writes nothing has limits. */
export function throughDoor({ program, args }: Door, folder: Folder, writes: boolean): Door {
  const begin = writes ? BEGIN : LIMITS + BEGIN;
  const script = folder.descriptor === undefined ? begin : SAME_FOLDER + begin;
  return { program: '/bin/sh', args: ['-c', script, 'sh', program, ...args] };
}
