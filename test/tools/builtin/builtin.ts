import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { SCENE } from '../../helpers/scene.js';
import type { ApprovalRequest, Clock, JsonValue, Tool, ToolContext } from '../../../src/core/index.js';
import type { BuiltinOptions } from '../../../src/tools/index.js';
import { builtinTools } from '../../../src/tools/index.js';
import type { Ran } from '../run-tool.js';
import { parsedBy, runParts, runTool } from '../run-tool.js';

const realClock: Clock = {
  now: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

/** A built-in tool in a folder; commands run without a sandbox, so that their processes can be seen. */
export function builtin(name: string, cwd: string, options: Partial<BuiltinOptions> = {}): Tool {
  const own = { cwd, env: { PATH: process.env['PATH'] }, home: '/nowhere', clock: realClock };
  const world = { ...own, sandbox: { mode: 'off' as const }, ...options };
  const tool = builtinTools(world).find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

/** What the gate asks about an input; the input is parsed first, as the engine does. */
export async function asked(tool: Tool, input: JsonValue): Promise<ApprovalRequest | undefined> {
  const parsed = await parsedBy(tool, input);
  if (!parsed.ok) throw new Error(parsed.issues.join('; '));
  return tool.approval?.(parsed.value, new AbortController().signal, SCENE);
}

/** Asks, approves what was asked, and runs. */
export async function approveAndRun(
  tool: Tool,
  input: JsonValue,
  given: Partial<ToolContext> = {},
): Promise<Ran> {
  const request = await asked(tool, input);
  const shown = JSON.parse(JSON.stringify(request ?? {})) as JsonValue;
  const run = tool.name === 'read_file' ? runParts : runTool;
  return run(tool, input, {
    ...(request !== undefined && { approved: { shown, edited: false } }),
    ...given,
  });
}

/** True while a process runs; one that ended and was not waited for does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux';
  }
}
