import type { Actor, SessionId, SessionStore, Shown } from '../src/core/index.js';
import {
  count,
  digestOf,
  escapeText,
  HitlError,
  isHitlError,
  joined,
  messageOf,
  shown,
} from '../src/core/index.js';
import type { Migration } from '../src/graph/index.js';
import { migrationOf } from '../src/graph/index.js';
import { rowsWithin } from '../src/render/index.js';
import { statusOf } from './exit/exit-codes.js';
import type { Io } from './host/index.js';
import { printJson, tell } from './host/index.js';
import type { MigrateFlags, Target } from './migrate.js';
import { agreedTo, linesOf, migrate, move, targetOf } from './migrate.js';
import { stdoutTable } from './screen/theme.js';
import { openStore } from './store/store.js';

/** The planned migration of one session. */
interface Planned extends Migration {
  readonly session: SessionId;
  readonly target: Target | undefined;
}

/** The result of migrating one session. */
interface Moved {
  readonly session: SessionId;
  readonly moved: boolean;
  readonly problem?: string;
}

const MOVES = { message: 'Migrate these sessions to this definition?', yes: 'move', no: 'leave' };

/** `hitl migrate`: migrates one session or, with `--workflow`, all sessions of a workflow. */
export async function migrateAny(
  io: Io,
  given: string | undefined,
  named: string | undefined,
  { workflow, ...flags }: MigrateFlags,
): Promise<number> {
  if (workflow !== undefined && named === undefined)
    return migrateMany(io, { ...flags, workflow }, { store: openStore(io, flags), flow: given });
  if (given !== undefined && workflow === undefined) return migrate(io, given, named, flags);
  throw new HitlError(
    'USAGE',
    given === undefined ? 'missing session id' : '`--workflow` does not accept a session id',
    {
      hint: 'hitl migrate <id> [flow], or hitl migrate --workflow <name> [flow]',
    },
  );
}

/**
 * `hitl migrate --workflow`: migrates all unfinished sessions of a workflow according to one plan, which the
 * user must have seen.
 */
async function migrateMany(
  io: Io,
  flags: MigrateFlags & { readonly workflow: string },
  { store, flow }: { readonly store: SessionStore; readonly flow: string | undefined },
): Promise<number> {
  if (flags.keepApprovals === true || flags.format === true)
    throw new HitlError('USAGE', '`--workflow` cannot be combined with `--keep-approvals` or `--format`', {
      hint: 'hitl migrate <id> --keep-approvals, for each of them',
    });
  const planned = await plansOf(io, flags, store, flow);
  const moving = planned.filter(({ parts, problem }) => parts.length > 0 && problem === undefined);
  const stuck = planned.filter(({ problem }) => problem !== undefined);
  const plan = digestOf(moving.map((one) => [one.session, one.plan])).slice(0, 12);
  if (flags.json !== true) show(io, flags, planned, moving.length === 0 ? undefined : plan);
  const name = `--workflow ${flags.workflow}`;
  const isAsked = moving.length > 0 && flags.dryRun !== true;
  const by = isAsked ? await agreedTo(io, flags, { plan, which: name, question: MOVES }) : undefined;
  const moved: Moved[] = [];
  if (by !== undefined) for (const one of moving) moved.push(await moveOne(store, one, by));
  const failed = moved.filter((one) => !one.moved);
  if (flags.json === true) {
    const sessions = planned.map(({ session, parts, problem }) => ({ session, parts, problem }));
    printJson(io, { workflow: flags.workflow, plan, sessions, moved });
  } else if (by !== undefined) {
    for (const { session, problem = '' } of failed)
      tell(io.stderr, shown`${session}: ${escapeText(problem)}`);
    const all = count(moved.length, 'session');
    if (flags.quiet !== true) tell(io.stderr, shown`Migrated ${moved.length - failed.length} of ${all}`);
  }
  return stuck.length + failed.length === 0 ? 0 : statusOf('NODE_FAILED');
}

async function plansOf(
  io: Io,
  flags: MigrateFlags & { readonly workflow: string },
  store: SessionStore,
  flow: string | undefined,
): Promise<readonly Planned[]> {
  const planned: Planned[] = [];
  const targets = new Map<string, Target | undefined>();
  const plan = async (id: SessionId): Promise<void> => {
    await using session = await store.open(id, 'read');
    const { graph, agent, cwd = '' } = session.state;
    if (graph?.name !== flags.workflow) return;
    const place = `${cwd}\n${agent?.flow ?? ''}`;
    const target = targets.get(place) ?? (await targetOf(io, flags, session, flow));
    targets.set(place, target);
    const found = target === undefined ? { parts: [], plan: '' } : await migrationOf(target.graph, session);
    planned.push({ session: id, target, ...found });
  };
  for await (const { id, status } of store.list())
    if (status !== 'done' && status !== 'unreadable') await plan(id);
  return planned;
}

/** Migrates one session, unless it has changed since the plan was shown. */
async function moveOne(
  store: SessionStore,
  { session: id, target, plan }: Planned,
  by: Actor,
): Promise<Moved> {
  try {
    await using session = await store.open(id, 'write');
    const now = target && (await migrationOf(target.graph, session));
    if (now?.plan !== plan) return { session: id, moved: false, problem: 'changed since the plan was shown' };
    await move(session, { target, kept: [], by });
    return { session: id, moved: true };
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    return { session: id, moved: false, problem: messageOf(thrown) };
  }
}

/** Shows each difference once, with the sessions that it applies to. */
function show(
  io: Io,
  { color, workflow = '' }: MigrateFlags,
  planned: readonly Planned[],
  plan: string | undefined,
): void {
  const groups = new Map<string, { readonly text: Shown; readonly sessions: SessionId[] }>();
  for (const one of planned) {
    const text = joined(linesOf({ ...one, kept: [] }), '\n');
    const group = groups.get(text) ?? { text, sessions: [] };
    group.sessions.push(one.session);
    groups.set(text, group);
  }
  const lines = [...groups.values()].flatMap(({ text, sessions }) => [
    shown`${count(sessions.length, 'session')}: ${joined(
      sessions.map((id) => escapeText(id)),
      ', ',
    )}`,
    text,
    shown``,
  ]);
  const name = shown`\`${escapeText(workflow)}\``;
  const sum =
    planned.length === 0
      ? shown`no unfinished sessions of ${name}`
      : shown`${count(planned.length, 'unfinished session')} of ${name}`;
  const end = plan === undefined ? [sum] : [sum, shown`plan ${escapeText(plan)}`];
  io.stdout.write(rowsWithin(joined([...lines, ...end, shown``], '\n'), stdoutTable(io, color).columns));
}
