import { stat } from 'node:fs/promises';

import * as z from 'zod/mini';

import type { Clock, Tool, ToolContext } from '../../core/index.js';
import { count, isHitlError, isSuspension, messageOf, Mutex } from '../../core/index.js';
import { defineTool } from '../define-tool.js';
import type { Sandbox, SandboxState } from '../sandbox/sandbox.js';
import { createSandbox } from '../sandbox/sandbox.js';
import type { FolderCopy } from '../sandbox/folder-copy.js';
import { copyFolder, isSmallEnough, removeCopy } from '../sandbox/folder-copy.js';
import { confirmStill } from './agreement.js';
import type { BroughtHome } from './bring-home.js';
import { bringHome } from './bring-home.js';
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

/** Number of characters to keep at each end of the output. */
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
    writes: z
      ._default(z.boolean(), false)
      .check(
        z.describe('whether the command needs to change files; otherwise it can only write to its own /tmp'),
      ),
    ask: z
      .optional(z.boolean())
      .check(
        z.describe('whether to ask the user to let the command change the folder itself instead of a copy'),
      ),
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
    /** For a run in a copy, the changes that were copied back. `heldBack` lists the other changes. */
    changed: z.exactOptional(
      z.array(
        z.object({
          path: z.string(),
          change: z.enum(['made', 'changed', 'deleted']),
          added: z.exactOptional(z.number()),
          removed: z.exactOptional(z.number()),
        }),
      ),
    ),
    heldBack: z.exactOptional(z.array(z.object({ path: z.string(), why: z.string() }))),
  });
type Output = z.infer<ReturnType<typeof output>>;

/**
 * Creates a tool that runs a program or shell text in a sandbox. A command that is not read-only needs
 * approval. The question shows what runs and where.
 */
export function runCommand(options: BuiltinOptions): Tool {
  const sandbox = sandboxOf(options);
  const tellOnce = oncePerProgram();
  // Commands of one reply that run in copies do so in turn: each sees what the one before it changed.
  const copies = new Mutex();
  const measured = new MeasuredOnce(() => isSmallEnough(options.cwd));
  const planOf = (command: Command, isFresh = false): Promise<CommandPlan> =>
    planCommand(command, options, sandbox, () => measured.of(command, isFresh));
  const Input = shape().check(
    z.superRefine((command, context) => {
      const problem = inputProblem(command);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    }),
  );
  return defineTool(
    {
      name: 'run_command',
      description:
        'Runs a command and returns its output and exit code. It has no stdin and few environment variables. The middle of long output is cut. In a sandbox it sees the system, the working directory and the programs on the search path, and leaves no process running. It is read-only, and the user is not asked, unless `writes` is true: then it can change the working directory. In mode `auto` it changes a copy without asking, and the permitted changes are copied back; `heldBack` lists the others. With `ask`, the user is asked and it changes the folder itself. It has no network unless `network` is true. /tmp and its home directory are new for each command.',
      input: Input,
      output: orWords(output()),
      effect: 'once',
      origin: BUILT_IN,
      editing: {
        field: 'command',
        words: 'argv',
        labels: { cwd: 'folder', timeoutMs: 'time limit (ms)', writes: 'changes files', network: 'network' },
      },
      problem: (command) => problemOf(command, options, sandbox),
      effectOf: async (command) => {
        const { onlyReads, inCopy } = await planOf(command);
        return onlyReads || inCopy ? 'none' : 'once'; // what comes back of a copy is an effect from the first file on
      },
      approval: async (command) => {
        const plan = await planOf(command, true);
        return plan.onlyReads ? undefined : requestOf(plan, command);
      },
      facts: async (command) => requestOf(await planOf(command), command).facts ?? {},
    },
    async (command, context) => {
      const plan = await planOf(command);
      measured.forget(command);
      // What can change and send nothing needs no agreement, and what was agreed to is held to it all the same.
      if (!plan.onlyReads || context.approved !== undefined) confirmStill(context, requestOf(plan, command));
      const running = {
        ...{ command, options, sandbox, signal: context.signal },
        key: context.idempotencyKey,
        progress: context.progress,
        before: tellOnce(plan.sandbox),
      };
      if (!plan.inCopy) return (await runPlan(plan, running)).output;
      const leave = await copies.acquire(context.signal);
      try {
        return await runInCopy(plan, running, context);
      } finally {
        leave();
      }
    },
  );
}

/** Maximum number of cached measurements: enough for the calls being prepared and for some that never ran. */
const MOST_MEASURED = 32;

/**
 * Caches for each call whether the working directory is small enough to be copied. The directory is measured
 * when the call's approval is checked, and later checks and the call itself use that result. The size limit
 * is enforced again when the directory is copied.
 */
class MeasuredOnce {
  readonly #measure: () => Promise<boolean>;
  readonly #found = new Map<string, Promise<boolean>>();

  constructor(measure: () => Promise<boolean>) {
    this.#measure = measure;
  }

  of(command: Command, isFresh: boolean): Promise<boolean> {
    const key = JSON.stringify(command);
    const known = isFresh ? undefined : this.#found.get(key);
    const found = known ?? this.#measure();
    if (known === undefined) {
      this.#found.delete(key);
      this.#found.set(key, found);
      const [oldest] = this.#found.keys();
      if (oldest !== undefined && this.#found.size > MOST_MEASURED) this.#found.delete(oldest);
    }
    return found;
  }

  forget(command: Command): void {
    this.#found.delete(JSON.stringify(command));
  }
}

function sandboxOf({ cwd, home, env, ownFolders = [], starts, sandbox = {} }: BuiltinOptions): Sandbox {
  const { mode = 'auto', readOnly: named = [], reads = [] } = sandbox;
  const readOnly = () => [...new Set([...named, ...(starts?.() ?? []).map((one) => one.path)])];
  return createSandbox({ workspace: cwd, home, env, hidden: ownFolders, readOnly, reads }, mode);
}

/**
 * Returns a function that reports a missing sandbox the first time it is called, because the user may not
 * have seen a question that mentions it.
 */
function oncePerProgram(): (state: SandboxState) => readonly string[] {
  let told = false;
  return (state) => {
    if (told || state.type !== 'missing') return [];
    told = true;
    return [`commands run without a sandbox: ${state.why}`];
  };
}

/**
 * Runs a command in a copy of the working directory, and copies back the changes that do not need approval.
 */
async function runInCopy(
  plan: CommandPlan,
  running: Running,
  context: Pick<ToolContext, 'noteFile' | 'signal'>,
): Promise<Output> {
  const { options, signal } = running;
  signal.throwIfAborted();
  const copy = await copyFolder(options.cwd, options.ownFolders ?? [], signal);
  try {
    const { output, hasEnded } = await runPlan(plan, { ...running, copy });
    const notes = output.notes ?? [];
    if (!hasEnded)
      return { ...output, notes: [...notes, 'the command was stopped, so its changes were discarded'] };
    try {
      return withChanges(output, await bringHome(copy, options, context));
    } catch (error) {
      if (!isHitlError(error) || error.code !== 'TOOL_FAILED') throw error;
      return { ...output, notes: [...notes, `nothing that it changed is kept: ${messageOf(error)}. ${ASK}`] };
    }
  } finally {
    await removeCopy(copy);
  }
}

const ASK = 'If needed, call it again with `ask: true` to ask the user';

/** Maximum number of files to list in a result. */
const MOST_TOLD = 50;

function withChanges(output: Output, { changed, heldBack, isCut }: BroughtHome): Output {
  const sum = (of: 'added' | 'removed'): number => changed.reduce((total, one) => total + (one[of] ?? 0), 0);
  const notes = [
    ...(output.notes ?? []),
    ...(changed.length > 0
      ? [`${count(changed.length, 'file')} changed, +${sum('added')} −${sum('removed')}`]
      : []),
    ...(isCut ? ['stopped by the user before all changes were copied back'] : []),
    ...(heldBack.length > 0 ? [`${count(heldBack.length, 'change')} not kept. ${ASK}`] : []),
  ];
  return {
    ...output,
    ...(notes.length > 0 && { notes }),
    ...(changed.length > 0 && { changed: changed.slice(0, MOST_TOLD) }),
    ...(heldBack.length > 0 && { heldBack: heldBack.slice(0, MOST_TOLD) }),
  };
}

interface Running {
  readonly command: Command;
  readonly options: BuiltinOptions;
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  /** The call's key. */
  readonly key: string;
  readonly progress: (text: string) => void;
  /** Notes to put before all others. */
  readonly before: readonly string[];
  readonly copy?: FolderCopy;
}

/** Runs a command. `hasEnded` is false if the time limit or the user stopped it. */
async function runPlan(
  plan: CommandPlan,
  running: Running,
): Promise<{ readonly output: Output; readonly hasEnded: boolean }> {
  const { command, options, sandbox, signal } = running;
  const { clock } = options;
  signal.throwIfAborted();
  const window = new OutputWindow(KEPT_EACH);
  const progress = new ProgressLines(clock, (line) => {
    running.progress(line);
  });
  const marker = plan.sandbox.type === 'on' ? undefined : running.key;
  const cwd = plan.place.path;
  const { timeoutMs } = command;
  const network = command.network && !plan.onlyReads;
  const room = plan.onlyReads ? 'reading' : plan.inCopy ? 'copy' : marker === undefined ? 'sandbox' : 'open';
  const notes = [...running.before];
  const startedAt = clock.now();
  const outputOf = (
    { exitCode, signal: by }: Pick<GroupEnd, 'exitCode' | 'signal'>,
    said: readonly string[],
  ): Output => {
    const { text, omitted } = window.end();
    const lacked = plan.onlyReads && exitCode !== 0 ? lackOf(text) : undefined;
    const all = lacked === undefined ? said : [...said, lacked];
    return {
      exitCode,
      signal: by,
      output: text,
      ...(omitted > 0 && { omittedCharacters: omitted }),
      ...(all.length > 0 && { notes: [...all] }),
    };
  };
  const end = await runBehindDoor(
    {
      ...{ program: plan.program, args: plan.args, cwd, network, writes: !plan.onlyReads, timeoutMs, clock },
      env: {
        ...commandEnvironment(options, room),
        ...(marker !== undefined && { [MARKER]: marker }),
      },
      sandbox,
      ...(running.copy !== undefined && { copy: running.copy }),
      onText(text) {
        window.push(text);
        progress.push(text);
      },
      onNotes(found) {
        notes.push(...found);
      },
    },
    signal,
  )
    .catch((thrown: unknown) => {
      if (!isStoppedByUser(signal)) throw thrown;
      return undefined;
    })
    .finally(() => {
      progress.end();
    });
  if (end === undefined) {
    const seconds = Math.round((clock.now() - startedAt) / 1000);
    const when = seconds === 0 ? 'at once' : `after ${seconds} s`;
    const said = [...notes, `stopped by the user ${when}`];
    return { output: outputOf({ exitCode: null, signal: 'SIGTERM' }, said), hasEnded: false };
  }
  if (end.timedOut) notes.push(`stopped after its time limit of ${timeoutMs} ms`);
  // In a sandbox nothing outlives the command, and what holds the sandbox may end a little after it.
  if (end.leftOver && marker !== undefined) notes.push('processes it left running were stopped');
  if (marker !== undefined) notes.push(...(await strayNotes(marker, end)));
  return { output: outputOf(end, notes), hasEnded: !end.timedOut };
}

/**
 * Returns a note about the permission that a failed read-only command seems to have needed, or `undefined` if
 * its output does not suggest one.
 */
function lackOf(text: string): string | undefined {
  const [, of] = LACKS.find(([pattern]) => pattern.test(text)) ?? [];
  return of === undefined
    ? undefined
    : `ran read-only: if that is why it failed, call it again with \`${of}: true\` to ask the user`;
}

const LACKS: readonly (readonly [RegExp, string])[] = [
  [/read-only file system|EROFS/iu, 'writes'],
  [/name resolution|could not resolve|ENOTFOUND|EAI_AGAIN|network is unreachable|ENETUNREACH/iu, 'network'],
];

/**
 * Whether the user stopped the run. If so, the output so far is the result. Other causes are reported as
 * errors.
 */
function isStoppedByUser({ aborted, reason }: AbortSignal): boolean {
  if (!aborted || isSuspension(reason)) return false;
  return !isHitlError(reason) || reason.detail?.['timeoutMs'] === undefined;
}

/**
 * Reports the processes that left the process group of an unsandboxed command. They are not killed, because
 * the user may want to keep them running.
 */
async function strayNotes(marker: string, { group }: GroupEnd): Promise<readonly string[]> {
  const left = await leftBehind(marker, group);
  if (left.length === 0) return [];
  return [`it left processes running: ${left.map(({ pid, name }) => `${name} (${pid})`).join(', ')}`];
}

function inputProblem({ command, argv }: Command): string | undefined {
  if ((command === undefined) === (argv === undefined)) return 'pass either `command` or `argv`';
  return [command ?? '', ...(argv ?? [])].some((text) => text.includes('\0'))
    ? 'a command must not contain a NUL character'
    : undefined;
}

/** Returns the reason that a call cannot work, so that it is refused before the user is asked. */
async function problemOf(
  input: Command,
  options: BuiltinOptions,
  sandbox: Sandbox,
): Promise<string | undefined> {
  try {
    const asked = { ...input, writes: true, ask: true };
    const { place } = await planCommand(asked, options, sandbox, async () => false);
    const folder = await stat(place.path).catch(() => undefined); // Not there, or not ours to enter.
    return folder?.isDirectory() === true
      ? undefined
      : `${place.label} is not a folder that a command can run in`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Minimum time between progress reports, in milliseconds. It keeps heavy output from flooding the screen. */
const EVERY_MS = 100;
/** Maximum number of lines per report. The newest lines are kept. */
const TOLD_LINES = 5;
/**
 * Maximum number of characters of a line to keep. A line is shortened for display only after its secrets are
 * masked.
 */
const MAX_LINE = 8 * 1024;

/**
 * Reports streamed output line by line. If lines arrive too fast, only the newest are reported. Private keys
 * are omitted, because their lines cannot be recognized individually.
 */
export class ProgressLines {
  readonly #clock: Clock;
  readonly #tell: (line: string) => void;
  #rest = '';
  #isInKey = false;
  #toldAt = Number.NEGATIVE_INFINITY;
  #lines: readonly string[] = [];
  #waiting: AbortController | undefined;

  constructor(clock: Clock, tell: (line: string) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    // The beginning: a secret must not lose what it is known by.
    this.#rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    const told: string[] = [];
    for (const line of lines) {
      this.#isInKey ||= /-----BEGIN [A-Z ]*PRIVATE KEY-----/u.test(line);
      if (!this.#isInKey && line.trim() !== '') told.push(line.slice(0, MAX_LINE));
      if (/-----END [A-Z ]*PRIVATE KEY-----/u.test(line)) this.#isInKey = false;
    }
    this.#lines = [...this.#lines, ...told].slice(-TOLD_LINES);
    this.#tellInTime();
  }

  /** Stops reporting. The remaining output is in the result. */
  end(): void {
    this.#waiting?.abort();
    this.#lines = [];
  }

  #tellInTime(): void {
    if (this.#lines.length === 0 || this.#waiting !== undefined) return;
    const leftMs = this.#toldAt + EVERY_MS - this.#clock.now();
    if (leftMs <= 0) {
      this.#tellAll();
      return;
    }
    this.#waiting = new AbortController();
    this.#clock.sleep(leftMs, this.#waiting.signal).then(
      () => {
        this.#waiting = undefined;
        this.#tellAll();
      },
      () => undefined, // it has ended
    );
  }

  #tellAll(): void {
    this.#toldAt = this.#clock.now();
    const lines = this.#lines;
    this.#lines = [];
    for (const line of lines) this.#tell(line);
  }
}
