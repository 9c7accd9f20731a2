import type {
  AgentFingerprint,
  Session,
  SessionId,
  SessionStore,
  ToolDescriptor,
} from '../src/core/index.js';
import {
  awaiting,
  count,
  escapeText,
  fireDue,
  HitlError,
  isHitlError,
  isJsonArray,
  joined,
  membersOf,
  messageOf,
  openInterrupts,
  present,
  shown,
} from '../src/core/index.js';
import { stateWord } from '../src/render/index.js';
import { isFromModule, LIBRARY_ORIGIN } from '../src/tools/index.js';
import { reportError } from './exit/report-error.js';
import type { FlowFlags, RunFlags } from './flags/options.js';
import { modeOf, outputFormatOf } from './flags/mode.js';
import type { Io } from './host/index.js';
import { printJson, tell } from './host/index.js';
import { doubtLines } from './report/doubt-lines.js';
import { resumeSession } from './resume.js';
import { hasCollector } from './running/run-session.js';
import { servedBy, servedFolders } from './running/worker-bounds.js';
import { openStore } from './store/store.js';
import { storeAddress } from './store/address.js';
import { openTelemetry } from './telemetry/traced.js';

/** Exit status of a session with an open question. */
const WAITING = 3;
/** Highest exit status that the program itself uses. Higher values are those of signals. */
const LAST_OF_OURS = 128;

/** The result of handling a due session. */
interface Ticked {
  readonly session: SessionId;
  readonly title: string;
  /**
   * `went-on`: the session continued. `in-use`: another process has the session open and handles its due
   * work. `left`: this process does not serve the session, which is still due. `failed`: the session could
   * not continue.
   */
  readonly result: 'went-on' | 'in-use' | 'left' | 'failed';
  /** The exit status that `hitl resume` would have returned. */
  readonly exit: number;
  /** The session's current state, or the reason that it could not continue. */
  readonly words: string;
  /** Modules that changed since they were trusted, or were never trusted. */
  readonly untrusted?: readonly string[];
}

interface TickFlags extends FlowFlags {
  /** Folders served in addition to the current one. */
  readonly folder?: readonly string[];
}

/** `hitl tick`: resumes every session that is due. If one fails, the others are still resumed. */
export async function tick(io: Io, flags: TickFlags): Promise<number> {
  const store = openStore(io, flags);
  if (hasCollector(io)) await openTelemetry(io, flags); // what is done below is not heard
  const due = await dueSessions(store, io.clock.now());
  if (flags.quiet !== true)
    for (const line of await doubtLines(store, store.list({ status: 'interrupted' }))) tell(io.stderr, line);
  let status = 0;
  const untrusted: Ticked[] = [];
  for (const one of due) {
    const ticked = await tickOne(io, flags, store, one);
    if (outputFormatOf(flags) !== 'text') printJson(io, ticked, 'line');
    else if (ticked.untrusted !== undefined) untrusted.push(ticked);
    else
      io.stdout.write(shown`${ticked.session}  ${escapeText(ticked.words)}  ${escapeText(ticked.title)}\n`);
    // A question that follows is no failure: somebody is asked.
    if (status === 0 && ticked.exit !== WAITING) status = ticked.exit;
    if (ticked.exit > LAST_OF_OURS) break; // a signal ends all of it
  }
  tellUntrusted(io, untrusted);
  return status;
}

/**
 * Reports the untrusted modules of a deployment once for all affected sessions. Does so even with `--quiet`,
 * so that cron sends the report by email.
 */
function tellUntrusted(io: Io, ticked: readonly Ticked[]): void {
  const byModules = new Map<string, Ticked[]>();
  for (const one of ticked) {
    const modules = (one.untrusted ?? []).join('\n');
    byModules.set(modules, [...(byModules.get(modules) ?? []), one]);
  }
  for (const [modules, sessions] of byModules) {
    const [first = '', ...others] = modules.split('\n');
    const more = others.length === 0 ? shown`` : shown` and ${count(others.length, 'other file')}`;
    const which = count(sessions.length, 'session cannot continue', 'sessions cannot continue');
    tell(io.stderr, shown`${which}: ${escapeText(first)}${more} (changed or never trusted)`);
    tell(
      io.stderr,
      shown`hint: check it (hitl test-replay <flow> --all), then for each of them: hitl resume --trust <id>`,
    );
    tell(
      io.stderr,
      shown`sessions: ${joined(
        sessions.map(({ session }) => escapeText(session)),
        ', ',
      )}`,
    );
  }
}

type Due = Pick<Ticked, 'title'> & { readonly id: SessionId };

/** Returns the sessions with an expired timer or a received event, without duplicates. */
async function dueSessions(store: SessionStore, now: number): Promise<readonly Due[]> {
  const due = new Map<SessionId, Due>();
  for await (const { id, title, until } of store.list())
    if (until !== undefined && Date.parse(until) <= now) due.set(id, { id, title });
  for await (const { session: id, title, interrupt } of store.waiting()) {
    if (due.has(id) || interrupt.source.type !== 'node' || interrupt.source.event === undefined) continue;
    const { items } = await store.mail(id).list({ pageSize: 1_000 });
    if (items.some((message) => awaiting([interrupt], message) !== undefined)) due.set(id, { id, title });
  }
  return [...due.values()];
}

async function tickOne(io: Io, flags: TickFlags, store: SessionStore, { id, title }: Due): Promise<Ticked> {
  try {
    const { cwd, trust, why } = await placeOf(io, flags, store, id);
    if (why !== undefined) return { session: id, title, result: 'left', exit: 0, words: `left: ${why}` };
    const { trust: _given, ...others } = flags;
    const exit = await resumeAlone({ ...io, cwd }, { ...others, ...present({ trust }) }, { store, id });
    return { session: id, title, result: 'went-on', exit, words: await restOf(store, id) };
  } catch (thrown) {
    const isInUse = isHitlError(thrown) && thrown.code === 'SESSION_LOCKED';
    if (isInUse) return { session: id, title, result: 'in-use', exit: 0, words: 'in use' };
    const exit = reportError(thrown).status;
    const untrusted = untrustedIn(thrown);
    const failed = {
      session: id,
      title,
      result: 'failed',
      exit,
      words: `failed: ${messageOf(thrown)}`,
    } as const;
    if (untrusted !== undefined) return { ...failed, untrusted };
    if (flags.quiet !== true && isHitlError(thrown) && thrown.hint !== undefined)
      tell(io.stderr, shown`hint: ${escapeText(thrown.hint)}`);
    return failed;
  }
}

function untrustedIn(thrown: unknown): readonly string[] | undefined {
  const { untrusted } = isHitlError(thrown) ? membersOf(thrown.detail) : {};
  return untrusted !== undefined && isJsonArray(untrusted) ? untrusted.map(String) : undefined;
}

/**
 * Resumes a session without a user, in the folder of `io`, and discards the output. First records the timers
 * that are due, even if the session cannot be resumed.
 * @returns its exit status
 * @throws HitlError TOOL_NOT_FOUND if tools are missing. In that case, the session is not resumed.
 */
export async function resumeAlone(
  io: Io,
  flags: RunFlags,
  { store, id, opened }: { readonly store: SessionStore; readonly id: SessionId; readonly opened?: Session },
): Promise<number> {
  await using session = opened ?? (await store.open(id, 'write'));
  await fireDue(session, io.clock.now(), (event) => session.append([event]));
  if (isOfProgram(session.state.agent, flags)) {
    if (openInterrupts(session.state).length > 0) return WAITING;
    throw new HitlError('TOOL_NOT_FOUND', 'its tools belong to another program', {
      hint: 'resume it in that program, or specify its tool module: --tools <module>',
    });
  }
  const at = { ...io, stdout: nowhere(io.stdout), stderr: nowhere(io.stderr) };
  const alone: RunFlags = { ...flags, isAlone: true, input: false, print: true, quiet: true, save: true };
  return await resumeSession(at, alone, { store, id, opened: session, mode: modeOf(at, alone) });
}

/**
 * Whether the chat was started by another program with tools of its own, for example through `hitl serve
 * --agent`.
 */
function isOfProgram(agent: AgentFingerprint | undefined, { tools }: Pick<RunFlags, 'tools'>): boolean {
  if (agent === undefined || agent.flow !== undefined || tools !== undefined) return false;
  const isNowhere = (tool: ToolDescriptor): boolean =>
    tool.origin === LIBRARY_ORIGIN || (isFromModule(tool) && agent.modules === undefined);
  return agent.tools.some(isNowhere);
}

interface Place {
  readonly cwd: string;
  readonly trust?: boolean | undefined;
  /** The reason that it is skipped. */
  readonly why?: string;
}

/**
 * Returns the folder in which a session resumes, which is the folder in which it started. For a session in a
 * database, performs the same checks as a worker (`running/worker-bounds.ts`). A file store belongs to the
 * user and contains sessions from all of the user's folders. Each session resumes in its own folder with that
 * folder's trust, and `--trust` applies only to served folders.
 */
async function placeOf(io: Io, flags: TickFlags, store: SessionStore, id: SessionId): Promise<Place> {
  await using session = await store.open(id, 'read');
  const { state } = session;
  const served = await servedBy(io, flags, servedFolders(io, flags.folder), state);
  if ('cwd' in served) return { cwd: served.cwd, trust: flags.trust };
  const cwd = state.cwd ?? io.cwd;
  if (storeAddress(io, flags) !== undefined) return { cwd, why: served.why };
  return { cwd, ...(flags.trust === false && { trust: false }) };
}

async function restOf(store: SessionStore, id: SessionId): Promise<string> {
  for await (const summary of store.list({ search: id })) if (summary.id === id) return stateWord(summary);
  return 'gone';
}

/** Creates a stream that discards everything and is not a terminal. */
function nowhere(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const write = (_text: unknown, ...rest: readonly (string | (() => void) | undefined)[]): boolean => {
    const told = rest.at(-1);
    if (typeof told === 'function') setImmediate(told);
    return true;
  };
  return new Proxy(stream, {
    get: (target, key): unknown =>
      key === 'write' ? write : key === 'isTTY' ? false : Reflect.get(target, key),
  });
}
