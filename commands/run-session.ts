import type { Renderer, Session, SessionEvent, ToolSet } from '../src/core/index.js';
import { errorFrom, isHitlError, openInterrupts } from '../src/core/index.js';
import type { Graph, GraphStart } from '../src/graph/index.js';
import { runGraph, toolsAt } from '../src/graph/index.js';
import { questionView, renderQuestionPlain } from '../src/human/index.js';
import type { CreatedModel } from '../src/models/index.js';
import { todoLines } from '../src/render/index.js';
import type { ConversationOptions, Flow, ReplEnd } from '../src/repl/index.js';
import { converse as conversation, repl } from '../src/repl/index.js';
import { composeRenderer, showsFailures } from './compose-renderer.js';
import type { ExitStatus } from './exit-codes.js';
import type { Io } from './io.js';
import type { Mode } from './mode.js';
import type { RunFlags } from './options.js';
import type { People } from './people.js';
import { composePeople } from './people.js';
import type { ErrorReport } from './report-error.js';
import { reportError } from './report-error.js';
import { postedFor } from './posted.js';
import { writeResult } from './result.js';
import { Signals } from './signals.js';
import { showEveryEvent } from './show-every-event.js';
import { runSlash } from './slash.js';
import { stderrTheme } from './theme.js';
import type { AnyStore } from './store.js';
import { isFileStore } from './store.js';
import { firstTurn } from './turns.js';
import { withFirstEvents } from './with-first-events.js';

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
  readonly flow?: { readonly graph: Graph; readonly start?: GraphStart };
  /** Lines to say before anything else. */
  readonly notices: readonly string[];
}

/** Converses in an open session until it rests, and returns the exit status. The caller disposes of the session. */
export async function runSession(io: Io, flags: RunFlags, given: SessionRun): Promise<number> {
  const { mode } = given;
  const theme = stderrTheme(io, flags.color);
  const renderer = composeRenderer(io, mode, theme, given.session.id);
  const begun = withFirstEvents(given.session, given.before ?? []);
  const session = mode.format === 'stream-json' ? showEveryEvent(begun, renderer) : begun;
  using signals = new Signals({ clock: io.clock, interactive: mode.interactive });
  const people = await composePeople(io, flags, {
    mode,
    theme,
    session,
    tools: given.tools,
    onHangUp: () => {
      signals.leaveWith('SIGHUP');
    },
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
  { session, model, flow }: SessionRun,
  { people }: Parts,
  work: () => Promise<ReplEnd>,
): Promise<Outcome> {
  try {
    const end = await work();
    const surplus = await people.checkLeftovers();
    const ended = endOf(session, end);
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
  const options: ConversationOptions = {
    session,
    renderer,
    channel: people.channel,
    ...(posted !== undefined && { posted }),
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
    },
  };
  const beginWork = (): AbortSignal => {
    people.forget();
    return signals.beginWork();
  };
  if (given.flow !== undefined)
    return driveFlow(options, given.flow, AbortSignal.any([beginWork(), signals.leave]));
  return repl(
    {
      ...options,
      turns: firstTurn(prompt, people.turns),
      beginWork,
      command: (name, argument) =>
        runSlash(name, argument, { io, session, tools, renderer, interactive: mode.interactive }),
      once: flags.print === true,
      leaveOnFailure: !mode.interactive,
    },
    signals.leave,
  );
}

/** Runs a workflow to its end, or to where it waits; there are no user turns. */
async function driveFlow(
  options: ConversationOptions,
  { graph, start }: NonNullable<SessionRun['flow']>,
  signal: AbortSignal,
): Promise<ReplEnd> {
  const { session, renderer, run } = options;
  const flow: Flow = {
    run: (state, stop) => runGraph(state, graph, { run, ...(start !== undefined && { start }) }, stop),
    toolsAt: (path) => toolsAt(graph, path, run.tools),
  };
  const rest = await conversation({ ...options, flow }, signal);
  renderer.stopped(session.state);
  await session.saveTranscript?.();
  return { why: rest.type === 'waiting' ? 'waiting' : 'once', rest };
}

/** Never 0 while an interrupt is open (G27). */
function endOf(session: Session, { rest }: ReplEnd): Pick<Outcome, 'status' | 'report'> {
  const open = openInterrupts(session.state);
  if (open.length > 0) return { status: open.every(({ kind }) => kind === 'limit') ? 8 : 3 };
  if (rest?.type !== 'ended') return { status: 0 };
  if (rest.reason.type === 'limit') return { status: 8 };
  if (rest.reason.type === 'aborted' && session.state.graph !== undefined) return { status: 9 };
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
