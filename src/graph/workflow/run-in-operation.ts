import type { ErrorRecord, JsonValue, NodePath, RunState, SessionEvent } from '../../core/index.js';
import {
  limitName,
  activationId,
  emptyState,
  frameOf,
  openInterrupts,
  outputOf,
  toolRef,
  recordOf,
} from '../../core/index.js';
import type { RunOptions, RunOutcome, Stop } from '../../engine/index.js';
import { run as runChat } from '../../engine/index.js';
import { definitionProblem } from '../definition/acceptance.js';
import type { AgentNode, CalledGraph, ToolNode } from '../definition/graph-definition.js';
import { agentOptions, replyOutput, toolRun } from '../run/chat-options.js';
import type { Place } from '../run/inner-chats.js';
import { pump, told } from '../run/inner-chats.js';
import { inside } from '../run/inside.js';
import { joinPaths } from '../run/graph-loop.js';
import type { CodeRun } from './code-run.js';

/** How a graph, tool or agent inside an operation stopped. */
export type InsideEnd =
  | { readonly type: 'gave'; readonly output: JsonValue }
  | { readonly type: 'failed'; readonly error: ErrorRecord }
  | { readonly type: 'waits' }
  | { readonly type: 'stopped' };

/** Runs an agent, tool or graph inside an operation, from its current state. */
export async function runInside(
  run: CodeRun,
  at: InsideOf,
  what: AgentNode | ToolNode | CalledGraph,
): Promise<InsideEnd> {
  return what.kind === 'graph' ? await runGraphInside(run, at, what) : await runChatInside(run, at, what);
}

/** The enclosing operation, and the stop of its branch. */
export interface InsideOf {
  readonly key: string;
  readonly stop: Stop;
}

async function runChatInside(
  run: CodeRun,
  { key, stop }: InsideOf,
  node: AgentNode | ToolNode,
): Promise<InsideEnd> {
  const { loop } = run;
  const { path, place, frame } = placeOf(run, key);
  if (frame !== undefined && waitsForPeople(frame)) return { type: 'waits' };
  const first: SessionEvent =
    frame === undefined
      ? { type: 'message-added', message: firstMessage(run, key, node) }
      : { type: 'run-continued' };
  if ((await told(place, { durable: true, events: [first] })) === 'give-up') return { type: 'stopped' };
  const { run: shared, code } = loop.options;
  const options: RunOptions = {
    ...(node.kind === 'agent' ? agentOptions(node, shared, code) : toolRun.options(node, shared, code)),
    runId: `${shared.runId}:${path}`,
    interrupts: loop.interrupts.at(path),
  };
  const child = loop.current().frames.get(frameOf(key)) ?? emptyState();
  const own = stop.child(); // each agent listens to its own: to many listeners at one signal Node says that they leak
  let outcome: RunOutcome | undefined;
  try {
    outcome = await pump(runChat(child, options, own.signal), place, child);
  } finally {
    own.release();
  }
  return endOf(run, { outcome, stop }, (state, reason) => {
    if (node.kind === 'agent') return { type: 'gave', output: replyOutput(reason, state) };
    const result = toolRun.result(state);
    return 'error' in result
      ? { type: 'failed', error: recordOf(result.error) }
      : { type: 'gave', output: result.output };
  });
}

async function runGraphInside(
  run: CodeRun,
  { key, stop }: InsideOf,
  { graph, set }: CalledGraph,
): Promise<InsideEnd> {
  const { loop } = run;
  const { path, place, frame } = placeOf(run, key);
  const child = frame ?? emptyState();
  const problem =
    child.graph && definitionProblem({ frame: child.graph, graph, path, run: loop.options.run });
  if (problem !== undefined) {
    run.leave({ type: 'refused', error: problem });
    return { type: 'waits' };
  }
  const own = stop.child();
  const steps = loop.inner(child, { graph, ...inside(loop, run.current, { path, set }) }, own.signal);
  let outcome: RunOutcome | undefined;
  try {
    outcome = await pump(steps, place, child);
  } finally {
    own.release();
  }
  return endOf(run, { outcome, stop }, ({ graph: ended }) => ({
    type: 'gave',
    output: ended === undefined ? null : outputOf(ended),
  }));
}

function placeOf(
  { loop, current, arrivals }: CodeRun,
  key: string,
): { readonly path: NodePath; readonly place: Place; readonly frame: RunState | undefined } {
  const name = frameOf(key);
  return {
    path: joinPaths(loop.pathOf(current), name),
    place: { arrivals, scope: joinPaths(activationId(current), name) },
    frame: loop.current().frames.get(name),
  };
}

type Ended = RunOutcome & { readonly type: 'ended' };

function endOf(
  run: CodeRun,
  { outcome, stop }: { readonly outcome: RunOutcome | undefined; readonly stop: Stop },
  done: (state: RunState, reason: Ended['reason']) => InsideEnd,
): InsideEnd {
  if (outcome === undefined) return { type: 'stopped' };
  if (outcome.type === 'interrupted') return { type: 'waits' };
  const { reason, state } = outcome;
  switch (reason.type) {
    case 'done':
    case 'finished':
      return done(state, reason);
    case 'failed':
      return { type: 'failed', error: reason.error };
    case 'limit':
      return {
        type: 'failed',
        error: { code: 'LIMIT_REACHED', message: `stopped: ${limitName(reason.limit)} reached` },
      };
    case 'aborted':
      if (!stop.aborted) run.leave({ type: 'cancelled' });
      return { type: 'stopped' };
  }
}

/** Whether nothing can run because everything that a chat started is waiting for a person. */
function waitsForPeople(chat: RunState): boolean {
  if (chat.ended !== undefined || openInterrupts(chat).length === 0) return false;
  const calls = chat.open?.calls ?? [];
  return calls.every(({ state: { status } }) => status === 'interrupted' || status === 'settled');
}

function firstMessage(
  run: CodeRun,
  key: string,
  node: AgentNode | ToolNode,
): (SessionEvent & { readonly type: 'message-added' })['message'] {
  const state = run.loop.frame().state;
  if (node.kind === 'agent') {
    const text = node.prompt?.(state) ?? '';
    return { role: 'user', content: [{ type: 'text', text }] };
  }
  const request = {
    type: 'tool-request',
    ref: toolRef(key),
    name: node.tool.name,
    input: node.input(state),
  } as const;
  return { role: 'model', content: [request] };
}
