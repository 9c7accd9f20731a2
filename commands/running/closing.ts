import type { Interrupt, JsonValue, OutputForm, Session } from '../../src/core/index.js';
import {
  checkedOutput,
  errorFrom,
  escapeText,
  isHitlError,
  joined,
  openInterrupts,
  operationOf,
  present,
  shown,
  waitOf,
} from '../../src/core/index.js';
import { commandBelow, questionView, renderQuestionPlain } from '../../src/human/index.js';
import { finalText, todoLines, waitWords } from '../../src/render/index.js';
import type { ReplEnd } from '../../src/repl/index.js';
import type { Mode } from '../flags/mode.js';
import type { ErrorReport } from '../exit/report-error.js';
import type { ExitStatus } from '../exit/exit-codes.js';
import type { Io } from '../host/index.js';
import { IN_TOUR, tell } from '../host/index.js';
import { reportError } from '../exit/report-error.js';
import type { Played } from './play.js';
import { showsFailures } from './renderer.js';
import { unfinishedIn, writeResult } from './result.js';
import type { SessionRun } from './session-run.js';
import type { Stage } from './stage.js';

/**
 * Finishes the session after a run: prints the result and what remains to be done, and returns the exit
 * status.
 */
export async function closing(io: Io, given: SessionRun, stage: Stage, played: Played): Promise<number> {
  const { session, mode, store } = given;
  const { renderer, people, signals } = stage;
  const outcome = await outcomeOf(given, stage, played);
  renderer.pause();
  const unsent = stage.unsent();
  people.finish();
  for (const text of unsent) tell(io.stderr, shown`not sent: ${escapeText(text)}`);
  const { end, report, output } = outcome;
  writeResult(io, mode, session, present({ end, error: report?.error, output }));
  const isShown = outcome.ofRun === true && showsFailures(mode);
  if (report !== undefined && !isShown) tell(io.stderr, joined(report.lines));
  sayTodos(io, session, mode);
  if (store.capabilities.durable)
    sayHowToGoOn(io, session, mode, report !== undefined || wasStopped(session, end));
  return signals.status ?? outcome.status;
}

/** Lists the deferred to-dos of a finished workflow. */
function sayTodos(io: Io, { state: { graph, ended } }: Session, { format }: Mode): void {
  if (graph === undefined || ended?.type !== 'done' || format !== 'text') return;
  for (const line of todoLines(graph)) tell(io.stderr, line);
}

interface Outcome {
  readonly status: ExitStatus;
  readonly end?: ReplEnd;
  readonly report?: ErrorReport;
  /** Parsed value of the reply, if the reply has a schema. */
  readonly output?: JsonValue;
  /**
   * Whether the error was caused by the run, not by its input. Such an error is also reported by an event.
   */
  readonly ofRun?: boolean;
}

/** Returns the outcome of a conversation: a normal end, an error, or invalid input. */
async function outcomeOf(
  { session, agent, mode, output }: SessionRun,
  { people }: Stage,
  played: Played,
): Promise<Outcome> {
  if (played.type === 'failed') return failure(played.thrown);
  const { end } = played;
  try {
    const surplus = await people.checkLeftovers();
    const ended = endOf(session, mode, end);
    if (surplus !== undefined) return { ...failure(surplus), end };
    // A session that is done has played its script; one that waits plays the rest later.
    // What nodes of a workflow were told is not in the history of the session.
    if (ended.status === 0 && end.rest !== undefined && agent.graph === undefined)
      agent.model.assertAllUsed();
    const value = ended.status === 0 ? await valueOf(session, output) : {};
    return { end, ...ended, ...value, ofRun: value.report === undefined };
  } catch (thrown) {
    return failure(thrown);
  }
}

/**
 * Returns the value of the last reply, or an error if the reply does not match the schema. Empty if there is
 * no schema or no reply.
 */
async function valueOf(
  { state }: Session,
  form: OutputForm | undefined,
): Promise<Partial<Pick<Outcome, 'status' | 'report' | 'output'>>> {
  if (form === undefined || state.turns === 0) return {};
  if (unfinishedIn(state) !== undefined) return { status: 10 };
  try {
    return { output: (await checkedOutput(finalText(state), form)).read };
  } catch (thrown) {
    return failure(thrown);
  }
}

function failure(thrown: unknown): Pick<Outcome, 'status'> & { readonly report: ErrorReport } {
  const report = reportError(thrown);
  return { status: report.status, report };
}

/** Returns the exit status. It is never 0 while an interrupt is open (G27). */
function endOf(session: Session, mode: Mode, { rest }: ReplEnd): Pick<Outcome, 'status' | 'report'> {
  const open = openInterrupts(session.state);
  if (open.length > 0) return { status: open.every(({ kind }) => kind === 'limit') ? 8 : 3 };
  if (rest?.type !== 'ended') return { status: 0 };
  if (rest.reason.type === 'limit') return { status: 8 };
  // A script is told; a person who stopped a turn and left knows.
  const isTold = session.state.graph !== undefined || !mode.interactive;
  if (rest.reason.type === 'aborted' && isTold) return { status: 9 };
  if (rest.reason.type !== 'failed')
    return { status: unfinishedIn(session.state) !== undefined && !mode.interactive ? 10 : 0 };
  const { error } = rest.reason;
  return failure(isHitlError(rest.error) ? rest.error : errorFrom(error, rest.error));
}

/** Whether the user stopped the run, or a signal ended it. */
function wasStopped({ state }: Session, end: ReplEnd | undefined): boolean {
  const reason = end?.rest?.type === 'ended' ? end.rest.reason : state.ended;
  return reason?.type === 'aborted';
}

/**
 * Shows an open interrupt with the command that answers it. Questions are shown in full, timers and events on
 * one line.
 */
function tellOpen(io: Io, { id, state }: Session, interrupt: Interrupt): void {
  const wait = waitOf(interrupt);
  if (wait === undefined) {
    const view = questionView(interrupt, state, { now: io.clock.now() });
    tell(io.stderr, renderQuestionPlain(view));
    tell(io.stderr, shown`hint: ${commandBelow(id, view)}`);
    return;
  }
  const name = escapeText(operationOf(interrupt) ?? '');
  tell(io.stderr, shown`${name} ${waitWords(interrupt, io.clock.now())} [${interrupt.id}]`);
  if (wait.type === 'event')
    tell(io.stderr, shown`hint: hitl send ${id} --event ${escapeText(wait.event)} <data>`);
}

/** Prints how to resume the session if work remains or a user is present. */
function sayHowToGoOn(io: Io, session: Session, mode: Mode, isCut: boolean): void {
  const open = openInterrupts(session.state);
  if (open.length > 0 && !mode.interactive && mode.format === 'text') {
    for (const interrupt of open) tellOpen(io, session, interrupt);
  }
  const { turns, graph } = session.state;
  // The tour goes on by itself, and its sessions end with it.
  if (io.env[IN_TOUR] !== undefined || (turns === 0 && graph === undefined)) return;
  if (open.length > 0 || isCut) tell(io.stderr, shown`hint: hitl resume ${session.id}`);
  // At rest nothing is open, and a workflow that is done has nothing to go on with.
  else if (mode.interactive && graph === undefined)
    tell(io.stderr, shown`Saved. Continue with: hitl resume ${session.id}`);
}
