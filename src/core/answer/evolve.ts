import { compactContext } from '../state/compaction.js';
import { addMessage, importHistory } from './add-message.js';
import { keepApprovals, withoutApprovals } from './without-approvals.js';
import type { Call } from '../state/call.js';
import { answeredAtOnce, asked, askedAtOnce, resolveCall, resolvedBy, startedCall } from '../state/call.js';
import { askProblem, startProblem } from '../state/lawful.js';
import { notesMessage, toolMessage, viewOf } from '../state/close-turn.js';
import { HitlError } from '../data/errors.js';
import { addUsage } from '../data/finish-reason.js';
import { isJsonObject, present } from '../data/json.js';
import type { SessionEvent } from '../state/event.js';
import { evolveWithin, goingOn, withoutEnd } from './evolve-within.js';
import { afterTurn, afterUse, grantedBy } from './grants.js';
import { answerGraph } from '../state/answer-graph.js';
import { decisionProblem } from './expiry.js';
import { escalate } from './escalate.js';
import { graphAnswerProblem } from '../state/check-graph-answer.js';
import { evolveNode, goOnWithGraph, migrateGraph, startGraph } from '../state/evolve-graph.js';
import { pastProblem } from '../state/past-question.js';
import { raiseInGraph } from '../state/raise-in-graph.js';
import type { ToolRef } from '../data/ids.js';
import { ROOT_PATH } from '../data/ids.js';
import { withFileBack } from '../state/files-back.js';
import { evolveInbox, isInboxEvent } from '../state/evolve-inbox.js';
import type { Interrupt } from '../data/interrupt.js';
import { limitOf } from '../data/interrupt.js';
import { textPart } from '../data/message.js';
import { extended, limitEnd } from './limit-answer.js';
import type { SessionRule } from '../question/session-scope.js';
import { rulesWithout } from '../question/session-scope.js';
import { rewindHistory } from './rewind-history.js';
import type { OpenTurn, RunState, GraphFrame, HeldRule } from '../state/state.js';
import { interruptAtOnce, openInterrupt, emptyState } from '../state/state.js';
import {
  reviewedProblem,
  reviewedStartProblem,
  turnsOnAgain,
  withoutReviews,
  withReview,
} from './reviewer.js';
import { quorumProblem, voteProblem, withoutVotes, withRequester, withVote } from './guard.js';
import { activationId } from '../state/frame.js';
import { livePath } from '../state/live-path.js';

// Invariants:
// E1 `evolve` never changes the state it is given (the shared tails of AppendList and RefIndex are not visible in it).
// E2 An event that does not fit throws ILLEGAL_EVENT, so a journal that does not make sense cannot be folded.
// E3 The work for one event does not depend on the length of the session.

function illegal(event: SessionEvent, why: string): never {
  throw new HitlError('ILLEGAL_EVENT', `event \`${event.type}\` is invalid: ${why}`);
}

function withCall(
  state: RunState,
  event: SessionEvent,
  ref: ToolRef,
  change: (call: Call) => Call,
): RunState {
  const turn = state.open;
  let index = 0;
  for (const { request } of turn?.calls ?? []) {
    if (request.ref === ref) break;
    index += 1;
  }
  const call = turn?.calls[index];
  if (turn === undefined || call === undefined) return illegal(event, `no open call \`${ref}\``);
  return withTurn(state, { ...turn, calls: turn.calls.with(index, change(call)) });
}

/** Moves the open turn to the history if all its calls are settled. */
export function closeSettledTurn(state: RunState): RunState {
  const { open } = state;
  return open !== undefined && isSettled(open) ? withTurn(state, open) : state;
}

function isSettled({ calls }: OpenTurn): boolean {
  return calls.every((call) => call.state.status === 'settled');
}

/**
 * Updates the open turn. If all its calls are settled, moves it to the history as the model's message and one
 * tool message.
 */
function withTurn(state: RunState, turn: OpenTurn): RunState {
  if (!isSettled(turn)) return { ...state, open: turn };
  const view = viewOf(turn);
  const answers = toolMessage(turn.calls);
  const closed: RunState = {
    ...state,
    open: undefined,
    entries: state.entries
      .append(view === turn.message ? turn : { ...turn, view })
      .append({ message: answers }),
    view: state.view.append(view).append(answers),
    rounds: state.rounds + 1,
  };
  const message = notesMessage(turn.calls);
  if (message === undefined) return closed;
  const said = { type: 'message-added', message } as const;
  // A run that has ended meanwhile is not going on by it.
  return { ...addMessage(closed, said, (why) => illegal(said, why)), ended: closed.ended };
}

function startTool(state: RunState, event: SessionEvent & { type: 'tool-started' }): RunState {
  const granted = grantedBy(state, event.ref).map((rule) => heldRule(state, rule));
  const started = withCall(state, event, event.ref, (call) => {
    const { status } = call.state;
    if (status !== 'ready' && status !== 'started')
      return illegal(event, `call \`${event.ref}\` is ${status}`);
    if (event.attempt !== call.attempts + 1)
      return illegal(event, `attempt ${event.attempt} after ${call.attempts}`);
    const { input, effect, startedAt, title } = event;
    const why = startProblem(call, event);
    if (why !== undefined) return illegal(event, why);
    const run = { input, effect, startedAt, ...(title !== undefined && { title }) };
    const next = startedCall(call, event.attempt, { status: 'started', ...run });
    const { approval } = next;
    // N3 of `grants.ts`
    return granted.length === 0 || approval === undefined
      ? next
      : { ...next, approval: { ...approval, granted: true } };
  });
  return granted.length === 0 ? started : { ...started, rules: [...started.rules, ...granted] };
}

function settleTool(state: RunState, event: SessionEvent & { type: 'tool-settled' }): RunState {
  return withCall(state, event, event.ref, (call) => {
    const { status } = call.state;
    if (status !== 'ready' && status !== 'started')
      return illegal(event, `call \`${event.ref}\` is ${status}`);
    const via = status === 'ready' ? 'engine' : call.resumed === undefined ? 'run' : 'restart';
    return { ...call, state: { status: 'settled', outcome: event.outcome, via } };
  });
}

/**
 * Records a file's previous version, which is needed to go back. If a call changed the file, the call is
 * treated as having an effect. If there is no call, a person restored the file.
 */
function noteFile(state: RunState, event: SessionEvent & { type: 'file-noted' }): RunState {
  const { ref, path, after, by } = event;
  if (ref === undefined) {
    const file = { path, isRemoved: after === null, ...(by !== undefined && { by }) };
    return { ...state, filesBack: withFileBack(state.filesBack, file) };
  }
  return withCall(state, event, ref, (call) => {
    const { state: of } = call;
    if (of.status !== 'started') return illegal(event, `call \`${ref}\` is ${of.status}`);
    return of.effect === 'once' ? call : { ...call, state: { ...of, effect: 'once' } };
  });
}

function raiseInterrupt(state: RunState, event: SessionEvent & { type: 'interrupt-raised' }): RunState {
  const { interrupt } = event;
  if (openInterrupt(state, interrupt.id) !== undefined)
    return illegal(event, `interrupt \`${interrupt.id}\` is already open`);
  const counted: RunState = { ...state, interruptCount: state.interruptCount + 1 };
  if (counted.graph !== undefined)
    return { ...counted, graph: raiseInGraph(counted.graph, interrupt, (why) => illegal(event, why)) };
  if (interrupt.source.type !== 'tool') {
    if (state.asks !== undefined)
      return illegal(event, `the run's interrupt \`${state.asks.id}\` is still open`);
    return { ...counted, asks: interrupt };
  }
  return withCall(counted, event, interrupt.source.ref, (call) => {
    const { status } = call.state;
    if (interrupt.atOnce === true)
      return (
        askedAtOnce(call, interrupt) ??
        illegal(event, `call \`${call.request.ref}\` is not running, so it cannot ask`)
      );
    if (status !== 'ready' && status !== 'started')
      return illegal(event, `call \`${call.request.ref}\` is ${status}`);
    const why = askProblem(call, interrupt);
    return why === undefined ? asked(call, interrupt) : illegal(event, why);
  });
}

type Resolved = SessionEvent & { type: 'interrupt-resolved' };

function findOpen(state: RunState, event: Resolved): Interrupt {
  const interrupt = openInterrupt(state, event.id) ?? interruptAtOnce(state, event.id);
  if (interrupt === undefined) return illegal(event, `interrupt \`${event.id}\` is not open`);
  const why = decisionProblem(interrupt, event);
  return why === undefined ? interrupt : illegal(event, why);
}

/**
 * Records the process that now writes the session. Drops the votes if the voting rules differ, so that they
 * must be cast again.
 */
function openedBy(
  state: RunState,
  { epoch, pid, host, law, owner }: SessionEvent & { type: 'session-opened' },
): RunState {
  const isOther = state.writer !== undefined && state.writer.law !== law;
  const writer = { epoch, pid, host, ...present({ law, owner }) };
  return { ...state, writer, ...(isOther && { votes: undefined }) };
}

/** Records a review. A review does not decide the question. */
function review(state: RunState, event: SessionEvent & { type: 'reviewed' }): RunState {
  const why = reviewedProblem(state, event);
  if (why !== undefined) return illegal(event, why);
  const { usage } = event;
  const reviewed = withReview(state, event);
  return usage === undefined ? reviewed : { ...reviewed, usage: addUsage(state.usage, usage) };
}

/** Whether `by` is a reviewer. Accepts any value, because `by` is a string in some events. */
function isReviewer(by: unknown): boolean {
  return isJsonObject(by) && by['type'] === 'reviewer';
}

/** Records a vote for a decision that still needs more votes. */
function castVote(state: RunState, event: SessionEvent & { type: 'vote-cast' }): RunState {
  if (event.by.type === 'reviewer') return illegal(event, 'a reviewer cannot vote');
  const { id, digest, resolution, by, castAt: resolvedAt } = event;
  const interrupt = findOpen(state, { type: 'interrupt-resolved', id, digest, resolution, by, resolvedAt });
  const why = voteProblem(state, interrupt, event);
  return why === undefined ? withVote(state, event) : illegal(event, why);
}

/** Checks the required approvers before applying a decision, anywhere in the session (V3 of `guard.ts`). */
function decide(state: RunState, event: Resolved): RunState {
  const interrupt = openInterrupt(state, event.id);
  if (interrupt === undefined && event.by.type === 'reviewer')
    return illegal(event, 'a reviewer cannot answer a question from a call that is still running');
  const why = interrupt && quorumProblem(state, interrupt, event);
  if (why !== undefined) return illegal(event, why);
  const counted = withoutVotes(evolveOne(state, event), event.id);
  // What a reviewer decided lasts as long as its terms (A3 of `reviewer.ts`).
  const decided = event.by.type === 'reviewer' ? counted : withoutReviews(counted, event.id);
  const rules = afterUse(decided.rules, event.by);
  return withRequester(rules === decided.rules ? decided : { ...decided, rules }, event, interrupt);
}

function resolveInterrupt(state: RunState, event: Resolved): RunState {
  const { resolution, resolvedAt } = event;
  const interrupt = findOpen(state, event);
  const answered = resolvedBy(event, interrupt);
  if (interrupt.atOnce === true && interrupt.source.type === 'tool')
    return withCall(
      { ...state, resolved: state.resolved.append(answered) },
      event,
      interrupt.source.ref,
      answeredAtOnce,
    );
  const counted: RunState = { ...goingOn(state), resolved: state.resolved.append(answered) };
  if (state.graph !== undefined) {
    const problem =
      graphAnswerProblem(state.graph, interrupt, resolution) ?? pastProblem(state.graph, interrupt, event);
    if (problem !== undefined) return illegal(event, problem);
    const ended =
      resolution.action === 'cancel' && interrupt.kind === 'limit' ? { ended: limitEnd(interrupt) } : {};
    return { ...counted, ...ended, graph: answerGraph(state.graph, answered, resolvedAt) };
  }
  if (interrupt.source.type !== 'tool') return resolveGate(counted, event, interrupt);
  return withCall(counted, event, interrupt.source.ref, (call) => {
    const resolved = resolveCall(call, answered);
    return resolved ?? illegal(event, `\`${resolution.action}\` is not valid for a tool call`);
  });
}

function resolveGate(state: RunState, event: Resolved, gate: Interrupt): RunState {
  const rest: RunState = { ...state, asks: undefined };
  const { resolution } = event;
  if (gate.kind === 'pause') return resolvePause(rest, event);
  if (resolution.action === 'continue' && limitOf(gate) === 'context')
    return { ...rest, wantsCompaction: true };
  if (resolution.action === 'extend') return { ...rest, extended: extended(state, gate, resolution.by) };
  if (resolution.action !== 'cancel')
    return illegal(event, `\`${resolution.action}\` is not valid for a limit`);
  const ended = limitEnd(gate);
  return cancelReady({ ...rest, ended }, ended.limit);
}

/**
 * Applies the answer to a requested pause: continues the run, continues it with a message for the model, or
 * ends it.
 */
function resolvePause(state: RunState, event: Resolved): RunState {
  const { resolution } = event;
  if (resolution.action === 'cancel') return { ...state, ended: { type: 'aborted' } };
  if (resolution.action !== 'rerun' || resolution.guidance === undefined) return state;
  const message = { role: 'user' as const, content: [textPart(resolution.guidance)] };
  const said = { type: 'message-added', message } as const;
  return addMessage(state, said, (why) => illegal(event, why));
}

/**
 * Settles the calls that will not start because the run stopped at a limit, so that its history stays valid
 * (G21).
 */
function cancelReady(state: RunState, limit: string): RunState {
  if (state.open === undefined) return state;
  const outcome = {
    type: 'error',
    code: 'not-run',
    message: `not started: limit reached (${limit})`,
  } as const;
  const calls = state.open.calls.map((call): Call =>
    call.state.status === 'ready' ? { ...call, state: { status: 'settled', outcome, via: 'engine' } } : call,
  );
  return withTurn(state, { ...state.open, calls });
}

/**
 * Returns the state after an event is applied.
 * @throws HitlError ILLEGAL_EVENT if the event is invalid in this state (E2).
 */
export function evolve(state: RunState, event: SessionEvent): RunState {
  if (event.type === 'vote-cast') return castVote(state, event);
  if (event.type === 'interrupt-resolved') return decide(state, event);
  if (event.type === 'reviewed') return review(state, event);
  if ('by' in event && isReviewer(event.by)) return illegal(event, 'a reviewer can only decide questions'); // A2 of `reviewer.ts`
  const why = event.type === 'tool-started' ? reviewedStartProblem(state, event) : undefined;
  if (why !== undefined) return illegal(event, why);
  return withRequester(evolveOne(state, event), event);
}

/** Events that start a step of a workflow. */
const STARTS: ReadonlySet<SessionEvent['type']> = new Set([
  'node-entered',
  'node-started',
  'step-started',
  'op-started',
  'model-started',
  'tool-started',
]);

/**
 * Voids all approvals. A workflow whose history comes from elsewhere or is incomplete must be confirmed
 * before it continues.
 */
function voided(state: RunState, { past, lost }: SessionEvent & { type: 'approvals-voided' }): RunState {
  const rest = withoutApprovals(state);
  const isOurs = past === undefined && lost === undefined && state.parent?.foreign !== true;
  if (rest.graph === undefined || isOurs) return rest;
  return { ...rest, graph: rest.graph.with({ unconfirmed: lost === undefined ? 'elsewhere' : 'lost' }) };
}

// Invariants:
// H1 What was gone back over does not count any more: no rule outlives the question that it was made at, and one of
//    which nobody knows where it was made does not outlive going back.

/** Adds to a rule the location of the question at which it was created. */
function heldRule({ entries, graph }: RunState, rule: SessionRule): HeldRule {
  if (graph === undefined) return { ...rule, madeAt: entries.length };
  return graph.current === undefined ? rule : { ...rule, madeAt: activationId(graph.current) };
}

/**
 * Adds a rule that a person created at a question. A grant's rule is added only when the call that requested
 * the grant starts.
 */
function addRule(state: RunState, event: SessionEvent & { type: 'rule-added' }): RunState {
  const { rule } = event;
  if ('grant' in rule) return illegal(event, "a grant's rule cannot be added on its own"); // N3 of `grants.ts`
  return { ...state, rules: [...state.rules, heldRule(state, rule)] };
}

/**
 * If the message starts a new turn, ends the rules that last for one turn. After a crash, the previous turn
 * has no end event that would do so (N5 of `grants.ts`).
 */
function atNewTurn(state: RunState, { message }: SessionEvent & { type: 'message-added' }): RunState {
  const rules = afterTurn(state.rules);
  if (rules === state.rules || message.role !== 'user') return state;
  return state.entries.at(-1)?.message.role === 'model' ? { ...state, rules } : state;
}

/** Removes the rules created after the first `keep` messages of a chat (H1). */
function rulesBefore(rules: readonly HeldRule[], keep: number): readonly HeldRule[] {
  return rules.filter(({ madeAt }) => typeof madeAt === 'number' && madeAt < keep);
}

/** Removes the rules created in parts of a workflow that have been undone or are being repeated (H1). */
function rulesOnPath(rules: readonly HeldRule[], graph: GraphFrame): readonly HeldRule[] {
  const done = new Set<number | string>(
    livePath(graph).flatMap((one) => (one === graph.current ? [] : [activationId(one)])),
  );
  return rules.filter(({ madeAt }) => madeAt !== undefined && done.has(madeAt));
}

function evolveOne(state: RunState, event: SessionEvent): RunState {
  if (isInboxEvent(event)) return evolveInbox(state, event, (why) => illegal(event, why));
  if (state.graph?.unconfirmed !== undefined && STARTS.has(event.type))
    return illegal(event, 'continuing from this history has not been confirmed');
  if (event.scope !== undefined && event.scope !== ROOT_PATH) {
    const { scope } = event;
    return evolveWithin(state, { event, scope, evolve: evolveOne }, (why) =>
      illegal(event, `${scope}: ${why}`),
    );
  }
  switch (event.type) {
    case 'session-created': {
      const { type: _type, by: _by, ...created } = event;
      return { ...state, ...created, ...(event.parent?.kind === 'fork' && { isCopied: true }) };
    }
    case 'session-opened':
      return openedBy(state, event);
    case 'approvals-voided':
      return { ...voided(state, event), isCopied: undefined };
    case 'approvals-kept':
      return keepApprovals(state, event.kept);
    case 'history-imported':
      return importHistory(state, event, (why) => illegal(event, why));
    case 'agent-changed':
      return {
        ...state,
        agent: event.agent,
        ...(turnsOnAgain(state.agent, event) && { reviewStreak: undefined }),
      };
    case 'message-added':
      return addMessage(atNewTurn(state, event), event, (why) => illegal(event, why));
    case 'context-compacted': {
      const compacted = compactContext(state, event, (why) => illegal(event, why));
      return { ...compacted, wantsCompaction: undefined };
    }
    case 'model-started':
      return { ...state, modelAttempts: event.attempt };
    case 'tool-started':
      return startTool(state, event);
    case 'tool-settled':
      return settleTool(state, event);
    case 'file-noted':
      return noteFile(state, event);
    case 'interrupt-raised':
      return raiseInterrupt(state, event);
    case 'interrupt-resolved':
      return resolveInterrupt(state, event);
    case 'vote-cast':
      return castVote(state, event);
    case 'reviewed':
      return illegal(event, 'a review must belong to the session itself');
    case 'interrupt-escalated':
      return escalate(state, event, (why) => illegal(event, why));
    case 'rule-added':
      return addRule(state, event);
    case 'history-rewound':
      return {
        ...rewindHistory(state, event.keep, (why) => illegal(event, why)),
        rules: rulesBefore(state.rules, event.keep),
      };
    case 'rule-removed':
      return { ...state, rules: rulesWithout(state.rules, event.tool, (why) => illegal(event, why)) };
    case 'run-ended':
      return { ...state, ended: event.reason, rules: afterTurn(state.rules) };
    case 'graph-started':
      if (state.graph !== undefined) return illegal(event, 'the graph has already started');
      return { ...state, graph: startGraph(event) };
    case 'graph-migrated':
      if (state.graph === undefined) return illegal(event, 'the graph has not started');
      return { ...state, graph: migrateGraph(state.graph, event, (why) => illegal(event, why)) };
    case 'node-entered':
    case 'node-started':
    case 'node-settled':
    case 'node-failed':
    case 'step-started':
    case 'step-settled':
    case 'op-started':
    case 'op-settled':
    case 'op-failed':
    case 'edge-failed':
    case 'conflict-found':
    case 'rewound': {
      if (state.graph === undefined) return illegal(event, 'the graph has not started');
      const graph = evolveNode(state.graph, event, (why) => illegal(event, why));
      if (event.type !== 'rewound') return { ...state, graph };
      return { ...withoutEnd(state), graph, rules: rulesOnPath(state.rules, graph) };
    }
    case 'run-continued': {
      const on = withoutEnd(state);
      return on.graph === undefined ? on : { ...on, graph: goOnWithGraph(on.graph) };
    }
    default:
      return illegal(event, 'this version does not know this event type');
  }
}

/** Returns the state after all events have been applied. Runs in linear time. */
export function fold(events: Iterable<SessionEvent>, from: RunState = emptyState()): RunState {
  let state = from;
  for (const event of events) state = evolve(state, event);
  return state;
}
