import path from 'node:path';

import { HitlError } from '../../core/index.js';
import type { Folder } from '../../files/index.js';
import { fileProblem, withFolder } from '../../files/index.js';
import type { Sandbox } from '../sandbox/sandbox.js';

import type { FolderCopy } from '../sandbox/folder-copy.js';
import { throughDoor } from './command-door.js';
import type { GroupEnd, GroupOptions } from './process-group.js';
import { runGroup } from './process-group.js';

/**
 * Number of attempts to start a sandbox. An attempt fails if a path to hide disappears before the sandbox
 * starts.
 */
const ATTEMPTS = 3;

export interface Behind extends Omit<GroupOptions, 'folder' | 'filter'> {
  readonly sandbox: Sandbox;
  readonly network: boolean;
  /**
   * Whether the command may write to the working directory. If false, it runs only where it can neither
   * change nor send anything.
   */
  readonly writes: boolean;
  /** The copy of the working directory in which the command runs. */
  readonly copy?: FolderCopy;
  /**
   * Called when the command has ended or was stopped, with notes on effects that it had despite the sandbox.
   */
  readonly onNotes: (notes: readonly string[]) => void;
}

/**
 * Opens the folder at a command's path and runs the command in it. If the folder is replaced before the
 * command starts, the command does not run (D1 of `command-door.ts`).
 * @throws the abort reason of the signal; HitlError TOOL_FAILED if the command never started.
 */
export async function runBehindDoor(behind: Behind, signal: AbortSignal): Promise<GroupEnd> {
  let opened = false;
  const { cwd, copy } = behind;
  const stands = copy === undefined ? cwd : path.join(copy.path, path.relative(copy.root, cwd));
  return withFolder(stands, async (folder) => {
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

/**
 * Runs the command once. If the command did not start, `unheard` is the output of the programs that wrap it.
 */
async function runOnce(
  folder: Folder,
  { sandbox, network, writes, copy, onNotes, ...options }: Behind,
  signal: AbortSignal,
): Promise<{ readonly end: GroupEnd; readonly unheard?: string }> {
  const { cwd } = options;
  const door = throughDoor(options, folder, writes && copy === undefined);
  const wrapped = await sandbox.wrap({ ...door, cwd, network, writes, ...(copy !== undefined && { copy }) });
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
    const { program, args, filter } = wrapped;
    const started = { program, args, folder, ...(filter !== undefined && { filter }) };
    const end = await runGroup({ ...options, ...own, ...started }, signal);
    return { end, ...(!heard.began && { unheard: heard.before }) };
  } finally {
    onNotes(await wrapped.notes());
  }
}

function statusOf({ exitCode, signal }: GroupEnd): string {
  return signal ?? `status ${exitCode ?? 0}`;
}
