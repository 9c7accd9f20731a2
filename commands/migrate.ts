import type {
  Actor,
  KeptCode,
  Session,
  SessionDoctor,
  SessionId,
  Shown,
  Tool,
  WaitingApproval,
} from '../src/core/index.js';
import {
  agentChange,
  digestOf,
  escapeText,
  HitlError,
  joined,
  pathText,
  safeJson,
  shown,
  waitingApprovals,
} from '../src/core/index.js';
import type { Graph, Migration, MovedPart } from '../src/graph/index.js';
import { migrationEvents, migrationOf, toolsOfGraph } from '../src/graph/index.js';
import { rowsWithin } from '../src/render/index.js';
import { flowFile, flowOfSession, loadFlow } from './agent/load-flow.js';
import { toolsOfSession, trustFlow } from './agent/agreed-modules.js';
import { statusOf } from './exit/exit-codes.js';
import type { PreviewFlags, SessionFlags } from './flags/options.js';
import { modeOf } from './flags/mode.js';
import type { Io } from './host/index.js';
import { isAskable, personHere, printJson, tell } from './host/index.js';
import { replayText } from './report/replay-text.js';
import { confirmHere } from './screen/confirm-here.js';
import { stdoutTable } from './screen/theme.js';
import { doctorOf, openStore } from './store/store.js';

/** Flags of `hitl migrate`. */
export interface MigrateFlags extends SessionFlags, PreviewFlags {
  readonly dryRun?: boolean;
  /** Digest of the plan that the user has seen and agrees to. */
  readonly agree?: string;
  /** Whether to only rewrite the file in the current format. */
  readonly format?: boolean;
  readonly keepApprovals?: boolean;
  /** Workflow whose unfinished sessions are migrated, instead of one session. */
  readonly workflow?: string;
}

/** A planned migration, with the approvals that will also apply to the changed code. */
interface Planned extends Migration {
  readonly kept: readonly KeptApproval[];
}

/** A pending approval and the code that it will apply to. */
type KeptApproval = KeptCode & Pick<WaitingApproval, 'call'>;

/**
 * `hitl migrate`: migrates a session to the current definition after the user has reviewed the change. Runs
 * nothing.
 */
export async function migrate(
  io: Io,
  given: string,
  named: string | undefined,
  flags: MigrateFlags,
): Promise<number> {
  const store = openStore(io, flags);
  const id = await store.resolve(given);
  if (flags.format === true) return rewrite(io, doctorOf(store), id, flags);
  await using session = await store.open(id, flags.dryRun === true ? 'read' : 'write');
  const target = await targetOf(io, flags, session, named);
  const found = await plannedFor(io, flags, session, target?.graph);
  if (flags.json !== true) show(io, flags, found);
  const hasWork = found.parts.length > 0 || found.kept.length > 0;
  const isAsked = hasWork && found.problem === undefined && flags.dryRun !== true;
  const by = isAsked ? await agreed(io, flags, id, found) : undefined;
  if (by !== undefined) await move(session, { target, kept: found.kept, by });
  if (flags.json === true) printJson(io, { session: id, ...found, moved: by !== undefined });
  else if (by !== undefined && flags.quiet !== true) tell(io.stderr, shown`hint: hitl resume ${id}`);
  return found.problem === undefined ? 0 : statusOf('NODE_FAILED');
}

/** `hitl migrate --format`: rewrites a session's file in the current format. */
async function rewrite(io: Io, doctor: SessionDoctor, id: SessionId, flags: MigrateFlags): Promise<number> {
  if (flags.dryRun === true || doctor.rewrite === undefined)
    throw new HitlError('USAGE', '--format rewrites a session file, and cannot be combined with --dry-run', {
      hint: `hitl migrate ${id} --format`,
    });
  const { records, backup } = await doctor.rewrite(id);
  if (flags.json === true) printJson(io, { session: id, records, ...(backup !== undefined && { backup }) });
  else if (backup === undefined)
    tell(io.stderr, shown`nothing to rewrite: session ${escapeText(id)} already has this format`);
  else {
    tell(
      io.stderr,
      shown`rewrote ${records} events of session ${escapeText(id)}; they are not signed, so their approvals are void`,
    );
    tell(io.stderr, shown`backup of the original file: ${escapeText(backup)}`);
  }
  return 0;
}

/** The workflow to migrate a session to. */
export interface Target {
  readonly graph: Graph;
  readonly file: string;
  readonly isNamed: boolean;
}

/** Returns the target workflow; `undefined` for a chat, for which only approvals are kept. */
export async function targetOf(
  io: Io,
  flags: MigrateFlags,
  session: Session,
  named: string | undefined,
): Promise<Target | undefined> {
  const isChat = session.state.agent?.flow === undefined;
  if (named === undefined && isChat && flags.keepApprovals === true) return undefined;
  const flow =
    named === undefined
      ? flowOfSession(io, session, `hitl migrate ${session.id} <flow>`)
      : await flowFile(io, named);
  const agreed = await trustFlow(io, { ...flags, save: false }, modeOf(io, flags), flow);
  return {
    graph: await loadFlow(io, { file: flow.file, agreed }),
    file: flow.file,
    isNamed: named !== undefined,
  };
}

async function plannedFor(
  io: Io,
  flags: MigrateFlags,
  session: Session,
  graph: Graph | undefined,
): Promise<Planned> {
  const found = graph === undefined ? { parts: [], plan: '' } : await migrationOf(graph, session);
  if (flags.keepApprovals !== true) return { ...found, kept: [] };
  const tools = await toolsOfSession(io, { ...flags, save: false }, modeOf(io, flags), session.state);
  const kept = keptIn(session, tools, graph);
  if (kept.length === 0) return { ...found, kept };
  const all = kept.map(({ was, now, call }) => ({
    was,
    now,
    ...(call !== undefined && { call: { ...call } }),
  }));
  return { ...found, kept, plan: digestOf([session.id, found.plan, all]).slice(0, 12) };
}

/**
 * Returns the approvals that were given for older code and can be kept. Approvals of MCP tools are not kept,
 * so hitl asks about them again.
 */
function keptIn(
  { state }: Session,
  tools: readonly Tool[],
  graph: Graph | undefined,
): readonly KeptApproval[] {
  const all = [...(graph === undefined ? [] : toolsOfGraph(graph)), ...tools];
  const codes = new Map(all.map(({ name, code }) => [name, code]));
  return waitingApprovals(state).flatMap(({ code: was, call }) => {
    const now = (call === undefined ? undefined : codes.get(call.tool)) ?? graph?.code;
    if (now === undefined || now === was || !was.startsWith('module:')) return [];
    return [{ ...(call !== undefined && { call }), was, now }];
  });
}

const MOVES = { message: 'Migrate the session to this definition?', yes: 'move', no: 'leave' };
const KEEPS = { message: 'Keep these approvals for the changed code?', yes: 'keep', no: 'ask again' };
const MOVES_AND_KEEPS = {
  message: 'Migrate the session to this definition, and keep these approvals?',
  yes: 'migrate and keep',
  no: 'leave',
};

/**
 * Returns the user, as an actor, if they agree to the migration of a session; `undefined` if they decline.
 */
function agreed(
  io: Io,
  flags: MigrateFlags,
  id: SessionId,
  { plan, parts, kept }: Planned,
): Promise<Actor | undefined> {
  const question = kept.length === 0 ? MOVES : parts.length === 0 ? KEEPS : MOVES_AND_KEEPS;
  return agreedTo(io, flags, { plan, which: id, question });
}

/** Returns the user, as an actor, if they agree to the plan that was shown; `undefined` if they decline. */
export async function agreedTo(
  io: Io,
  flags: MigrateFlags,
  {
    plan,
    which,
    question,
  }: { readonly plan: string; readonly which: string; readonly question: typeof MOVES },
): Promise<Actor | undefined> {
  if (flags.agree === plan) return personHere(io, 'answer');
  if (flags.agree !== undefined)
    throw new HitlError('USAGE', `plan \`${flags.agree}\` is out of date`, {
      hint: `get the current plan: hitl migrate ${which} --dry-run`,
    });
  if (!isAskable(io, flags))
    throw new HitlError('USAGE', 'cannot ask for confirmation without a terminal; use --agree', {
      hint: `hitl migrate ${which} --agree ${plan}`,
    });
  if (await confirmHere(io, flags, question)) return personHere(io, 'terminal');
  tell(io.stderr, shown`Not migrated`);
  return undefined;
}

/** Migrates a session that this process has locked, and records who agreed. */
export async function move(
  session: Session,
  {
    target,
    kept,
    by,
  }: {
    readonly target: Target | undefined;
    readonly kept: readonly KeptApproval[];
    readonly by: Actor;
  },
): Promise<void> {
  const { state } = session;
  const { agent } = state;
  const named =
    target?.isNamed === true && agent !== undefined
      ? agentChange(state, { ...agent, flow: target.file })
      : [];
  const moved = target === undefined ? [] : await migrationEvents(target.graph, session, by);
  const codes = new Map(kept.map(({ was, now }) => [`${was} ${now}`, { was, now }]));
  const keeps = kept.length === 0 ? [] : [{ type: 'approvals-kept', kept: [...codes.values()], by } as const];
  await session.append([...named, ...moved, ...keeps]);
  await session.saveTranscript?.();
}

function show(io: Io, { color }: MigrateFlags, found: Planned): void {
  const { parts, kept, problem, plan } = found;
  const hasPlan = parts.length + kept.length > 0 && problem === undefined;
  const lines = [...linesOf(found), ...(hasPlan ? [shown`plan ${escapeText(plan)}`] : [])];
  io.stdout.write(rowsWithin(joined([...lines, shown``], '\n'), stdoutTable(io, color).columns));
}

/** Describes the planned migration of a session. */
export function linesOf({ parts, replay, problem, kept }: Omit<Planned, 'plan'>): readonly Shown[] {
  return [
    ...(parts.length + kept.length === 0 ? [shown`Already on this version; nothing to migrate`] : []),
    ...parts.flatMap(partLines),
    ...kept.map(({ call }) => {
      const what =
        call === undefined
          ? shown`a step`
          : shown`${escapeText(call.tool)} ${escapeText(safeJson(call.input))}`;
      return shown`the approval of ${what} can be used only once, for the current code`;
    }),
    ...(replay === undefined ? [] : [replayText(replay)]),
    ...(problem === undefined ? [] : [shown`cannot migrate: ${escapeText(problem)}`]),
  ];
}

function partLines({ path, name, from, to, changes, passed = [] }: MovedPart): readonly Shown[] {
  const where = path === '' ? shown`` : shown`, at ${escapeText(pathText(path))}`;
  const versions = from === to ? shown`version ${to}` : shown`version ${from} to ${to}`;
  const rest = changes.filter(({ what }) => what !== 'version');
  return [
    shown`${escapeText(name)}${where}: ${versions}`,
    ...rest.map(({ change, thing }) => shown`  ${escapeText(`${change.padEnd(7)}  ${thing}`)}`),
    ...passed.map((key) => shown`  the code may omit ${escapeText(key)}`),
  ];
}
