import path from 'node:path';

import { HitlError } from '../../core/index.js';
import type { Folder } from '../../files/index.js';
import { fileProblem, withFolder } from '../../files/index.js';
import type { Sandbox } from '../sandbox/sandbox.js';

import type { FolderCopy } from '../sandbox/folder-copy.js';
import { throughDoor } from './command-door.js';
import type { GroupEnd, GroupOptions } from './process-group.js';
import { runGroup } from './process-group.js';

/** Number of times a sandbox is planned: something to hide may disappear before it starts. */
const ATTEMPTS = 3;

export interface Behind extends Omit<GroupOptions, 'folder' | 'filter'> {
  readonly sandbox: Sandbox;
  readonly network: boolean;
  /** Whether it may write to the working directory; without, it runs only where it can change and send nothing. */
  readonly writes: boolean;
  /** A copy of the working directory, in which it runs. */
  readonly copy?: FolderCopy;
  /** Called when the command is over, also after a stop: with its effects despite the sandbox. */
  readonly onNotes: (notes: readonly string[]) => void;
}

/**
 * Runs a command in the folder that its path names now, not in one moved there in the meantime
 * (D1 of `command-door.ts`).
 * @throws the signal's reason after an abort; HitlError TOOL_FAILED if the command never started.
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

/** Runs it once; `unheard` is the wrappers' output if the command did not start. */
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
