import { HitlError } from '../../core/index.js';
import type { Folder } from '../../files/index.js';
import { fileProblem, withFolder } from '../../files/index.js';
import type { Sandbox } from '../sandbox/sandbox.js';

import { throughDoor } from './command-door.js';
import type { GroupEnd, GroupOptions } from './process-group.js';
import { runGroup } from './process-group.js';

/** The number of times that a sandbox is planned: what it was to hide may be gone when it is made. */
const ATTEMPTS = 3;

export interface Behind extends Omit<GroupOptions, 'folder'> {
  readonly sandbox: Sandbox;
  readonly network: boolean;
  /** It may write to the working directory. */
  readonly writes: boolean;
  /** Told once the command is over, also where it was stopped: what it did in spite of the sandbox. */
  readonly onNotes: (notes: readonly string[]) => void;
}

/**
 * Runs a command in the folder that its path names now, and in no other that is put there meanwhile (D1 of `command-door.ts`).
 * @throws the signal's reason after an abort; HitlError TOOL_FAILED where the command never began.
 */
export async function runBehindDoor(behind: Behind, signal: AbortSignal): Promise<GroupEnd> {
  let opened = false;
  return withFolder(behind.cwd, async (folder) => {
    opened = true;
    return runIn(folder, behind, signal);
  }).catch((error: unknown) => {
    throw opened ? error : fileProblem(error, behind.cwd);
  });
}

async function runIn(folder: Folder, behind: Behind, signal: AbortSignal): Promise<GroupEnd> {
  for (let attempt = 1; ; attempt += 1) {
    const { end, unheard } = await runOnce(folder, behind, signal);
    if (unheard === undefined || end.timedOut) return end;
    if (attempt === ATTEMPTS)
      throw new HitlError('TOOL_FAILED', `the command did not start: ${unheard.trim() || statusOf(end)}`);
  }
}

/** Runs it once; `unheard` is what was printed by all that is around a command that did not begin. */
async function runOnce(
  folder: Folder,
  { sandbox, network, writes, onNotes, ...options }: Behind,
  signal: AbortSignal,
): Promise<{ readonly end: GroupEnd; readonly unheard?: string }> {
  const { cwd } = options;
  const wrapped = await sandbox.wrap({ ...throughDoor(options, folder), cwd, network, writes });
  const heard = { began: false, before: '' };
  const own = {
    onBegin() {
      heard.began = true;
      if (heard.before !== '') options.onText(heard.before);
    },
    onText(text: string) {
      if (heard.began) options.onText(text);
      else heard.before += text;
    },
  };
  try {
    const { program, args } = wrapped;
    const end = await runGroup({ ...options, ...own, program, args, folder }, signal);
    return { end, ...(!heard.began && { unheard: heard.before }) };
  } finally {
    onNotes(await wrapped.notes());
  }
}

function statusOf({ exitCode, signal }: GroupEnd): string {
  return signal ?? `status ${exitCode ?? 0}`;
}
