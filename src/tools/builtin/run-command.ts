import { stat } from 'node:fs/promises';

import * as z from 'zod/mini';

import type { Tool } from '../../core/index.js';
import { messageOf } from '../../core/index.js';
import { defineTool } from '../define-tool.js';
import type { Sandbox, SandboxState } from '../sandbox/sandbox.js';
import { createSandbox } from '../sandbox/sandbox.js';
import { confirmStill } from './agreement.js';
import { commandEnvironment } from './command-environment.js';
import type { Command, CommandPlan } from './command-plan.js';
import { planCommand, requestOf } from './command-plan.js';
import { leftBehind, MARKER } from './left-behind.js';
import type { BuiltinOptions } from './builtin-options.js';
import { orWords } from './or-words.js';
import { BUILT_IN } from './builtin-options.js';
import { OutputWindow } from './output-window.js';
import type { GroupEnd } from './process-group.js';
import { runBehindDoor } from './run-behind-door.js';

/** Characters kept of the beginning of the output, and as many of its end. */
const KEPT_EACH = 16 * 1024;

const shape = () =>
  z.object({
    command: z
      .optional(z.string().check(z.minLength(1)))
      .check(z.describe('text for the shell; pass either this or `argv`')),
    argv: z
      .optional(z.array(z.string()).check(z.minLength(1)))
      .check(z.describe('program and arguments, run without a shell; preferred')),
    cwd: z
      ._default(z.string().check(z.minLength(1)), '.')
      .check(z.describe('folder to run in, relative to the working directory')),
    timeoutMs: z._default(z.int().check(z.minimum(1), z.maximum(600_000)), 120_000),
    network: z
      ._default(z.boolean(), false)
      .check(z.describe('whether the command needs the network; most do not')),
  });

const output = () =>
  z.object({
    exitCode: z.nullable(z.number()),
    signal: z.nullable(z.string()),
    output: z.string(),
    omittedCharacters: z.exactOptional(z.number()),
    notes: z.exactOptional(z.array(z.string())),
  });
type Output = z.infer<ReturnType<typeof output>>;

/** Runs a program or shell text in a sandbox; the user approves each time, and sees what runs and where. */
export function runCommand(options: BuiltinOptions): Tool {
  const sandbox = sandboxOf(options);
  const tellOnce = oncePerProgram();
  const Input = shape().check(
    z.superRefine(async (command, context) => {
      const problem = await problemOf(command, options, sandbox);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
  );
  return defineTool(
    {
      name: 'run_command',
      description:
        'Runs a command and returns its output and exit code. The user approves each command. It has no stdin and few environment variables. The middle of long output is cut. In a sandbox it sees the system, the working directory and the programs of the search path, can write only to the working directory and to a /tmp and a home directory that are new for each command, has no network unless `network` is true, and leaves no process running.',
      input: Input,
      output: orWords(output()),
      effect: 'once',
      origin: BUILT_IN,
      needsApproval: true,
      approval: async (command) => requestOf(await planCommand(command, options, sandbox), command),
    },
    async (command, context) => {
      const plan = await planCommand(command, options, sandbox);
      confirmStill(context, requestOf(plan, command));
      return runPlan(plan, {
        ...{ command, options, sandbox, signal: context.signal },
        key: context.idempotencyKey,
        progress: context.progress,
        before: tellOnce(plan.sandbox),
      });
    },
  );
}

function sandboxOf({ cwd, home, env, ownFolders = [], starts, sandbox = {} }: BuiltinOptions): Sandbox {
  const { mode = 'auto', readOnly: named = [], reads = [] } = sandbox;
  const readOnly = () => [...new Set([...named, ...(starts?.() ?? []).map((one) => one.path)])];
  return createSandbox({ workspace: cwd, home, env, hidden: ownFolders, readOnly, reads }, mode);
}

/** The first unsandboxed command says so, even if no question did. */
function oncePerProgram(): (state: SandboxState) => readonly string[] {
  let told = false;
  return (state) => {
    if (told || state.type !== 'missing') return [];
    told = true;
    return [`commands run without a sandbox here: ${state.why}`];
  };
}

interface Running {
  readonly command: Command;
  readonly options: BuiltinOptions;
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** The key of the call. */
  readonly key: string;
  readonly progress: (text: string) => void;
  /** Notes before all others. */
  readonly before: readonly string[];
}

async function runPlan(plan: CommandPlan, running: Running): Promise<Output> {
  const { command, options, sandbox, signal } = running;
  const { clock } = options;
  const window = new OutputWindow(KEPT_EACH);
  const tell = progressLines(
    () => clock.now(),
    (line) => {
      running.progress(line);
    },
  );
  const marker = plan.sandbox.type === 'on' ? undefined : running.key;
  const cwd = plan.place.path;
  const { network, timeoutMs } = command;
  const notes = [...running.before];
  const end = await runBehindDoor(
    {
      ...{ program: plan.program, args: plan.args, cwd, network, writes: true, timeoutMs, clock },
      env: {
        ...commandEnvironment(options, marker === undefined),
        ...(marker !== undefined && { [MARKER]: marker }),
      },
      sandbox,
      onText(text) {
        window.push(text);
        tell(text);
      },
      onNotes(found) {
        notes.push(...found);
      },
    },
    signal,
  );
  if (end.timedOut) notes.push(`stopped after its time limit of ${timeoutMs} ms`);
  // In a sandbox nothing outlives the command, and what holds the sandbox may end a little after it.
  if (end.leftOver && marker !== undefined) notes.push('processes it left running were stopped');
  if (marker !== undefined) notes.push(...(await strayNotes(marker, end)));
  const { text, omitted } = window.end();
  return {
    exitCode: end.exitCode,
    signal: end.signal,
    output: text,
    ...(omitted > 0 && { omittedCharacters: omitted }),
    ...(notes.length > 0 && { notes }),
  };
}

/** Processes that left the group of a command without a sandbox are not ended: they may be wanted. */
async function strayNotes(marker: string, { group }: GroupEnd): Promise<readonly string[]> {
  const left = await leftBehind(marker, group);
  if (left.length === 0) return [];
  return [`it left processes running: ${left.map(({ pid, name }) => `${name} (${pid})`).join(', ')}`];
}

/** Refuses an impossible call before the user is asked. */
async function problemOf(
  input: Command,
  options: BuiltinOptions,
  sandbox: Sandbox,
): Promise<string | undefined> {
  const { command, argv } = input;
  if ((command === undefined) === (argv === undefined)) return 'pass either `command` or `argv`';
  if ([command ?? '', ...(argv ?? [])].some((text) => text.includes('\0')))
    return 'a command must not contain a NUL character';
  try {
    const { place } = await planCommand(input, options, sandbox);
    const folder = await stat(place.path).catch(() => undefined); // Not there, or not ours to enter.
    return folder?.isDirectory() === true
      ? undefined
      : `${place.label} is not a folder that a command can run in`;
  } catch (error) {
    return messageOf(error);
  }
}

/** At most one line per interval, in milliseconds, so that a program cannot flood the screen. */
const EVERY_MS = 100;
/** Longest line considered, in characters; it is cut for display after masking secrets. */
const MAX_LINE = 8 * 1024;

/**
 * Reports whole lines of streamed output, the newest if they come too fast. Omits private keys, whose lines
 * cannot be recognized individually.
 */
export function progressLines(now: () => number, tell: (line: string) => void): (text: string) => void {
  let rest = '';
  let toldAt = Number.NEGATIVE_INFINITY;
  let inKey = false;
  return (text) => {
    const lines = (rest + text).split(/\r\n|\r|\n/);
    // The beginning: a secret must not lose what it is known by.
    rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    let newest: string | undefined;
    for (const line of lines) {
      inKey ||= /-----BEGIN [A-Z ]*PRIVATE KEY-----/u.test(line);
      if (!inKey && line.trim() !== '') newest = line;
      if (/-----END [A-Z ]*PRIVATE KEY-----/u.test(line)) inKey = false;
    }
    if (newest === undefined || now() - toldAt < EVERY_MS) return;
    toldAt = now();
    tell(newest.slice(0, MAX_LINE));
  };
}
