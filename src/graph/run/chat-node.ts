import type { Activation, InboxMessage, NodePath, RunEnd, RunState, SessionEvent } from '../../core/index.js';
import { activationId, HitlError, limitName, nodePath, recordOf } from '../../core/index.js';
import type { RunOptions, RunOutcome } from '../../engine/index.js';
import { run } from '../../engine/index.js';
import type { AgentNode, ToolNode } from '../definition/graph-definition.js';
import type { GraphLoop, NodeRest, Steps } from './graph-loop.js';
import { placedAt } from './graph-loop.js';
import { judgeMessage } from './judge-message.js';
import { agentOptions, promptOf, replyOutput, toolRun } from './chat-options.js';
import { runCalling, waiting, waitsForPeople } from './called-agents.js';

/** Runs an agent or tool node as a chat inside the node, or continues an existing chat. */
export async function* runInside(
  loop: GraphLoop,
  { current, node }: { readonly current: Activation; readonly node: AgentNode | ToolNode },
  signal: AbortSignal,
): NodeRest {
  const agents = node.kind === 'agent' ? node.agents : undefined;
  if (agents !== undefined && waitsForPeople(current)) return waiting(loop);
  const scope = nodePath(activationId(current));
  yield* loop.tell([{ ...firstEvent(loop, current, node), scope }]);
  const path = loop.pathOf(current);
  const { run: shared, code } = loop.options;
  const options: RunOptions = {
    ...(node.kind === 'agent' ? agentOptions(node, shared, code) : toolRun.options(node, shared, code)),
    runId: `${shared.runId}:${path}`,
    sessionId: shared.sessionId ?? shared.runId,
    interrupts: loop.interrupts.at(path),
    ...(node.kind === 'agent' && steeringOf(loop, current, path)),
  };
  const child = loop.current().frames.get('');
  if (child === undefined) throw new HitlError('INTERNAL', `nothing runs in \`${path}\``);
  const outcome =
    agents === undefined
      ? yield* within(loop, scope, run(child, options, signal))
      : yield* runCalling(loop, { current, agents, options }, signal);
  if (outcome.type === 'interrupted') return { ...outcome, state: loop.state };
  const { reason } = outcome;
  switch (reason.type) {
    case 'done':
    case 'finished':
      yield* settleInside(loop, { current, node }, { reason, state: outcome.state });
      return undefined;
    case 'aborted':
      return signal.aborted ? undefined : yield* loop.end({ type: 'aborted' });
    case 'failed':
      yield* loop.fail(current, reason.error);
      return undefined;
    case 'limit':
      yield* loop.fail(current, {
        code: 'LIMIT_REACHED',
        message: `stopped: ${limitName(reason.limit)} reached`,
      });
      return undefined;
  }
}

/**
 * Lets the agent receive messages between its turns: `pause`, and text if the message rules allow it. If a
 * model interprets messages between nodes, text without a target is left to that model.
 */
function steeringOf(loop: GraphLoop, current: Activation, path: NodePath): Pick<RunOptions, 'steering'> {
  const { steering } = loop.options;
  if (steering === undefined) return {};
  const { inbox, reason, notice } = steering;
  const takesWords = judgeMessage(loop, current, { action: 'rerun' }).type === 'do';
  const wants = ({ action, target }: InboxMessage): boolean =>
    action === undefined
      ? takesWords && (reason === undefined || target !== undefined)
      : action.action === 'pause';
  return { steering: { inbox, path, wants, ...(notice !== undefined && { notice }) } };
}

/** Creates the event that starts or continues the chat. */
function firstEvent(loop: GraphLoop, current: Activation, node: AgentNode | ToolNode): SessionEvent {
  if (current.frames.get('') !== undefined) return { type: 'run-continued' };
  return node.kind === 'agent'
    ? promptOf(node, loop.frame(), current)
    : toolRun.first(node, loop.frame(), current);
}

function* settleInside(
  loop: GraphLoop,
  { current, node }: { readonly current: Activation; readonly node: AgentNode | ToolNode },
  { reason, state }: { readonly reason: RunEnd; readonly state: RunState },
): ReturnType<GraphLoop['settle']> {
  const result = node.kind === 'agent' ? { output: replyOutput(reason, state) } : toolRun.result(state);
  if ('error' in result) yield* loop.fail(current, recordOf(result.error), result.error);
  else yield* loop.settle(current, result);
}

/** Forwards inner events, adding their path. */
async function* within(loop: GraphLoop, scope: NodePath, inner: Steps<RunOutcome>): Steps<RunOutcome> {
  try {
    for (;;) {
      const step = await inner.next();
      if (step.done === true) return step.value;
      if (step.value.durable) yield* loop.tell(step.value.events.map((event) => placedAt(event, scope)));
      else yield { durable: false, event: placedAt(step.value.event, scope) };
    }
  } finally {
    // Whoever leaves early waits for what runs inside to stop.
    await inner.return({ type: 'ended', reason: { type: 'aborted' }, state: loop.state });
  }
}
