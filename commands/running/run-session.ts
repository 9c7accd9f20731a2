import type { Renderer, RunInbox, Session, SessionEvent, ToolSet } from '../../src/core/index.js';
import { errorFrom, isHitlError, openInterrupts, ROOT_PATH } from '../../src/core/index.js';
import type { Graph, GraphStart, GraphSteering } from '../../src/graph/index.js';
import { runGraph, toolsAt } from '../../src/graph/index.js';
import { questionView, renderQuestionPlain } from '../../src/human/index.js';
import type { CreatedModel } from '../../src/models/index.js';
import type { Theme } from '../../src/render/index.js';
import { todoLines } from '../../src/render/index.js';
import type { ConversationOptions, Flow, ReplEnd } from '../../src/repl/index.js';
import { converse as conversation, keep, repl } from '../../src/repl/index.js';
import { composeRenderer, showsFailures } from './renderer.js';
import type { ErrorReport, ExitStatus, Io } from '../host/index.js';
import type { Entrance } from './first-prompt.js';
import type { Mode, RunFlags } from '../flags/index.js';
import type { People } from './people.js';
import { checkApprovals, composePeople } from './people.js';
import type { Seat } from './seat.js';
import { seatFor } from './seat.js';
import { reportError, Signals, stderrTheme } from '../host/index.js';
import { postedFor } from './posted.js';
import { writeResult } from './result.js';
import { showEveryEvent } from './show-every-event.js';
import { runSlash } from '../slash/index.js';
import type { AnyStore } from '../store/index.js';
import { isFileStore } from '../store/index.js';
import { firstTurn } from '../input/index.js';
import { withFirstEvents } from './with-first-events.js';

/** How long to wait at the end for whoever keeps the messages locked, in milliseconds. */
const LEFT_MS = 5_000;

/** Rounds of tool calls for one message, where no flag says otherwise. */
const DEFAULT_MAX_TURNS = 50;

export interface SessionRun {
  readonly store: AnyStore;
  readonly session: Session;
  readonly model: CreatedModel;
  readonly tools: ToolSet;
  readonly mode: Mode;
  /** The first user turn. */
  readonly prompt?: string;
  /** Goes before the first event of this run; nothing is written where nothing happens. */
  readonly before?: readonly SessionEvent[];
  /** What runs in place of a chat. */
  readonly flow?: {
    readonly graph: Graph;
    readonly start?: GraphStart;
    /** Who reads messages that name no action. Default: they are guidance. */
    readonly reason?: NonNullable<GraphSteering['reason']>;
  };
  /** Lines to say before anything else. */
  readonly notices: readonly string[];
  /** Where a person is at the first prompt already. */
  readonly entrance?: Entrance;
}

/** Converses in an open session until it rests, and returns the exit status. The caller disposes of the session. */
export async function runSession(io: Io, flags: RunFlags, given: SessionRun): Promise<number> {
  const { mode, entrance } = given;
  const theme = stderrTheme(io, flags.color);
  using signals = entrance?.signals ?? new Signals({ clock: io.clock, interactive: mode.interactive });
  checkApprovals(flags, given.tools); // before anything is drawn
  const seat = entrance?.seat ?? seatFor(io, mode, { theme, signals });
  try {
    return await runAt(io, flags, { ...given, theme, signals, seat });
  } finally {
    seat?.device.restore(); // however it ended
  }
}

interface PlacedRun extends SessionRun {
  readonly theme: Theme;
  readonly signals: Signals;
  /** Where a person sits. */
  readonly seat: Seat | undefined;
}

async function runAt(io: Io, flags: RunFlags, given: PlacedRun): Promise<number> {
  const { mode, theme, signals, seat } = given;
  const takesTurns = given.flow === undefined && flags.print !== true;
  if (!takesTurns) seat?.composer.closeLine();
  const renderer = composeRenderer(io, mode, theme, { session: given.session.id, seat });
  const begun = withFirstEvents(given.session, given.before ?? []);
  const session = mode.format === 'stream-json' ? showEveryEvent(begun, renderer) : begun;
  const people = await composePeople(io, flags, {
    mode,
    theme,
    session,
    tools: given.tools,
    ...(seat !== undefined && { seat }),
  });
  for (const notice of [...given.notices, ...session.notices]) if (!mode.quiet) renderer.notice(notice);
  const parts = { renderer, people, signals };
  const outcome = await outcomeOf({ ...given, session }, parts, () =>
    converse(io, flags, { ...given, session }, parts),
  );
  renderer.pause();
  people.finish();
  const { end, report } = outcome;
  const error = report?.error;
  writeResult(io, mode, session, {
    ...(end !== undefined && { end }),
    ...(error !== undefined && { error }),
  });
  const isShown = outcome.ofRun === true && showsFailures(mode);
  if (report !== undefined && !isShown) io.stderr.write(`${report.lines.join('\n')}\n`);
  sayTodos(io, session, mode);
  if (isFileStore(given.store)) sayHowToGoOn(io, session, mode, report !== undefined);
  return signals.status ?? outcome.status;
}

/** What was put off in a workflow that has come to its end. */
function sayTodos(io: Io, { state: { graph, ended } }: Session, { format }: Mode): void {
  if (graph === undefined || ended?.type !== 'done' || format !== 'text') return;
  for (const line of todoLines(graph)) io.stderr.write(`${line}\n`);
}

interface Outcome {
  readonly status: ExitStatus;
  readonly end?: ReplEnd;
  readonly report?: ErrorReport;
  /** The report is of a run that failed, and not of what was given to it: an event of the session tells it too. */
  readonly ofRun?: boolean;
}

/** How a conversation ended: by itself, with an error, or with input that fits nothing. */
async function outcomeOf(
  { session, model, flow, mode }: SessionRun,
  { people }: Parts,
  work: () => Promise<ReplEnd>,
): Promise<Outcome> {
  try {
    const end = await work();
    const surplus = await people.checkLeftovers();
    const ended = endOf(session, mode, end);
    if (surplus !== undefined) return { ...failure(surplus), end };
    // A session that is done has played its script; one that waits plays the rest later.
    // What nodes of a workflow were told is not in the history of the session.
    if (ended.status === 0 && end.rest !== undefined && flow === undefined) model.assertAllUsed?.();
    return { end, ...ended, ofRun: true };
  } catch (thrown) {
    return failure(thrown);
  }
}

function failure(thrown: unknown): Pick<Outcome, 'status'> & { readonly report: ErrorReport } {
  const report = reportError(thrown);
  return { status: report.status, report };
}

interface Parts {
  readonly renderer: Renderer;
  readonly people: People;
  readonly signals: Signals;
}

function converse(
  io: Io,
  flags: RunFlags,
  given: SessionRun,
  { renderer, people, signals }: Parts,
): Promise<ReplEnd> {
  const { store, session, model, tools, mode, prompt } = given;
  const system = session.state.agent?.system;
  const posted = postedFor(store, session);
  const inbox = isFileStore(store) ? store.messagesFor(session) : undefined;
  const steering = inbox && {
    inbox,
    notice: (text: string): void => {
      renderer.notice(text);
    },
  };
  const options: ConversationOptions = {
    session,
    renderer,
    channel: people.channel,
    ...(posted !== undefined && { posted }),
    ...(inbox !== undefined && { inbox }),
    run: {
      model,
      tools,
      clock: io.clock,
      runId: session.id,
      limits: {
        maxTurns: flags.maxTurns ?? DEFAULT_MAX_TURNS,
        ...(flags.maxCost !== undefined && { maxCostUsd: flags.maxCost }),
        ...(flags.maxTime !== undefined && { maxTimeMs: flags.maxTime }),
      },
      ...(system !== undefined && { system }),
      ...(flags.onToolError !== undefined && { onToolError: flags.onToolError }),
      ...(steering !== undefined &&
        given.flow === undefined && { steering: { ...steering, path: ROOT_PATH } }),
    },
  };
  const beginWork = (): AbortSignal => {
    people.forget();
    return signals.beginWork();
  };
  if (given.flow !== undefined)
    return driveFlow(options, { ...given.flow, steering }, AbortSignal.any([beginWork(), signals.leave]));
  return repl(
    {
      ...options,
      turns: firstTurn(prompt, people.turns),
      beginWork,
      command: (name, argument) =>
        runSlash(name, argument, { io, store, session, tools, renderer, interactive: mode.interactive }),
      once: flags.print === true,
      leaveOnFailure: !mode.interactive,
    },
    signals.leave,
  );
}

/** Runs a workflow to its end, or to where it waits; there are no user turns. */
async function driveFlow(
  options: ConversationOptions,
  {
    graph,
    start,
    reason,
    steering,
  }: NonNullable<SessionRun['flow']> & { readonly steering: GraphSteering | undefined },
  signal: AbortSignal,
): Promise<ReplEnd> {
  const { session, renderer, run, inbox } = options;
  const graphOptions = {
    run,
    ...(start !== undefined && { start }),
    ...(steering !== undefined && { steering: { ...steering, ...(reason !== undefined && { reason }) } }),
  };
  const flow: Flow = {
    run: (state, stop) => runGraph(state, graph, graphOptions, stop),
    toolsAt: (path) => toolsAt(graph, path, run.tools),
  };
  const rest = await conversation({ ...options, flow }, signal);
  if (rest.type === 'ended' && inbox !== undefined) await tellLeft(inbox, options);
  renderer.stopped(session.state);
  await session.saveTranscript?.();
  return { why: rest.type === 'waiting' ? 'waiting' : 'once', rest };
}

/** What was not delivered when the run ended stays for the next one, and is told. */
async function tellLeft(inbox: RunInbox, { session, renderer }: ConversationOptions): Promise<void> {
  const left = await inbox.end(AbortSignal.timeout(LEFT_MS));
  try {
    if (left.events.length > 0) await keep(left.events, session, renderer);
  } finally {
    left.release();
  }
  const { length } = left.messages;
  if (length === 0) return;
  const what = length === 1 ? '1 message was' : `${length} messages were`;
  renderer.notice(`${what} not delivered: hitl queue ${session.id}`);
}

/** Never 0 while an interrupt is open (G27). */
function endOf(session: Session, mode: Mode, { rest }: ReplEnd): Pick<Outcome, 'status' | 'report'> {
  const open = openInterrupts(session.state);
  if (open.length > 0) return { status: open.every(({ kind }) => kind === 'limit') ? 8 : 3 };
  if (rest?.type !== 'ended') return { status: 0 };
  if (rest.reason.type === 'limit') return { status: 8 };
  // A script is told; a person who stopped a turn and left knows.
  const isTold = session.state.graph !== undefined || !mode.interactive;
  if (rest.reason.type === 'aborted' && isTold) return { status: 9 };
  if (rest.reason.type !== 'failed') return { status: 0 };
  const { error } = rest.reason;
  return failure(isHitlError(rest.error) ? rest.error : errorFrom(error, rest.error));
}

/** Leaving always prints how to come back where something is left to do, and to a person always. */
function sayHowToGoOn(io: Io, session: Session, mode: Mode, isFailed: boolean): void {
  const open = openInterrupts(session.state);
  if (open.length > 0 && !mode.interactive && mode.format === 'text') {
    for (const interrupt of open) {
      io.stderr.write(
        `${renderQuestionPlain(questionView(interrupt, session.state, { now: io.clock.now() }))}\n`,
      );
    }
  }
  const isStopped = session.state.ended?.type === 'aborted';
  const isUnfinished = open.length > 0 || isFailed || isStopped || mode.interactive;
  if (isUnfinished && (session.state.turns > 0 || session.state.graph !== undefined))
    io.stderr.write(`hint: hitl resume ${session.id}\n`);
}
