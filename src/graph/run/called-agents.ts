import type { Activation, RunState, SessionEvent, Tool, ToolContext, ToolSet } from '../../core/index.js';
import {
  limitName,
  activationId,
  HitlError,
  isJsonObject,
  membersOf,
  nodePath,
  openInterrupts,
  textPart,
} from '../../core/index.js';
import type { RunOptions, RunOutcome } from '../../engine/index.js';
import { Arrivals, run, Stop } from '../../engine/index.js';
import type { AgentNode, CalledAgent } from '../definition/graph-definition.js';
import type { Arrival } from './inner-chats.js';
import { drained, follow, giveUp, pass, pump, told } from './inner-chats.js';
import type { GraphLoop, Steps } from './graph-loop.js';
import { joinPaths } from './graph-loop.js';
import { agentOptions, replyOutput } from './chat-options.js';

// An agent that another one calls is a chat of its own, kept in the same activation under the key of its call. What it
// asks is asked as any question of the run. Until it is answered the call is one that was started: taken up again, it
// goes on where the agent was.

/** An agent's activation, and the agents that it can call. */
export interface CallingAgent {
  readonly current: Activation;
  readonly agents: NonNullable<AgentNode['agents']>;
  readonly options: RunOptions;
}

/** Returns the key of a called agent's state in the caller's activation, such as `research#r1`. */
function keyOf(name: string, ref: string): string {
  return `${name}#${ref.replaceAll(/[^\w.-]/gu, '-')}`;
}

/** Whether nothing can run because everything that the agent started is waiting for a person. */
export function waitsForPeople({ frames }: Activation): boolean {
  const calls = (frames.get('')?.open?.calls ?? []).filter(({ state }) => state.status !== 'settled');
  return (
    calls.length > 0 &&
    calls.every(({ state, request }) => {
      if (state.status === 'interrupted') return true;
      const called = frames.get(keyOf(request.name, request.ref));
      return state.status === 'started' && called !== undefined && openInterrupts(called).length > 0;
    })
  );
}

/**
 * Returns an activation's open questions as an outcome: the agent's own questions, then those of the agents
 * it called.
 */
export function waiting(loop: GraphLoop): RunOutcome {
  const interrupts = loop
    .current()
    .frames.values()
    .flatMap((frame) => openInterrupts(frame));
  return { type: 'interrupted', interrupts, state: loop.state };
}

/** Runs an agent that can call others, until it ends or everything it started is waiting. */
export async function* runCalling(
  loop: GraphLoop,
  what: CallingAgent,
  signal: AbortSignal,
): Steps<RunOutcome> {
  const arrivals = new Arrivals<Arrival>();
  const stop = Stop.following(signal);
  const scope = nodePath(activationId(what.current));
  const child = frameAt(loop, '');
  const tools = withAgents(what.options.tools, what.agents, (name, agent) => ({
    ...CALLABLE,
    name,
    description: agent.description,
    execute: (input, context) => call(loop, { ...what, arrivals }, { agent, name, input, context }),
  }));
  const pumping = follow('', run(child, { ...what.options, tools }, stop.signal), { arrivals, scope }, child);
  const parked = new Set<string>();
  let arrived: readonly Arrival[] = [];
  try {
    for (;;) {
      arrived = await arrivals.take();
      const isParked = stop.aborted && !signal.aborted;
      if (isParked) giveUp(arrived);
      else yield* pass(loop, arrived);
      const end = noteArrivals(arrived, parked);
      if (end !== undefined) return end.outcome === undefined || isParked ? waiting(loop) : end.outcome;
      if (parked.size > 0 && waitsForPeople(loop.current())) stop.abort();
    }
  } finally {
    stop.release();
    stop.abort();
    giveUp(arrived);
    await drained(arrivals, pumping); // whoever leaves early waits for what runs inside to stop
  }
}

/**
 * Lets the sources of the arrivals continue, adds calls that are now waiting to `parked`, and returns the
 * agent's end if it has arrived.
 */
function noteArrivals(
  arrived: readonly Arrival[],
  parked: Set<string>,
): (Arrival & { readonly type: 'ended' }) | undefined {
  let end: (Arrival & { readonly type: 'ended' }) | undefined;
  for (const arrival of arrived) {
    if (arrival.type === 'told') arrival.settle('go-on');
    else if (arrival.type === 'threw') throw arrival.thrown;
    else if (arrival.type === 'parked') parked.add(arrival.key);
    else end = arrival;
  }
  return end;
}

function frameAt(loop: GraphLoop, key: string): RunState {
  const frame = loop.current().frames.get(key);
  if (frame === undefined)
    throw new HitlError('INTERNAL', `nothing runs in \`${loop.pathOf(loop.current())}\``);
  return frame;
}

/** Adds the agents that can be called to an agent's tools. */
function withAgents(
  tools: ToolSet,
  agents: CallingAgent['agents'],
  toolOf: (name: string, agent: CalledAgent) => Tool,
): ToolSet {
  const callable = new Map(Object.entries(agents).map(([name, agent]) => [name, toolOf(name, agent)]));
  const all = [...[...tools].filter(({ name }) => !callable.has(name)), ...callable.values()];
  const kept = tools.descriptors.filter(({ name }) => !callable.has(name));
  return {
    get: (name) => callable.get(name) ?? tools.get(name),
    descriptors: [...kept, ...callable.values()],
    [Symbol.iterator]: () => all[Symbol.iterator](),
  };
}

/** A called agent as a tool. Its effect is `none`, because running it again continues the previous run. */
const CALLABLE: Pick<
  Tool,
  'inputSchema' | 'effect' | 'origin' | 'restartable' | 'parseInput' | 'parseOutput'
> = {
  inputSchema: {
    type: 'object',
    properties: {
      request: { type: 'string', description: 'The task, with everything the agent needs to know.' },
    },
    required: ['request'],
    additionalProperties: false,
  },
  effect: 'none',
  origin: 'agent',
  restartable: true,
  parseInput: (value) =>
    isJsonObject(value) && typeof value['request'] === 'string'
      ? { ok: true, value }
      : { ok: false, issues: ['request: expected string'] },
  parseOutput: (value) => ({ ok: true, value }),
};

interface AgentCall {
  readonly agent: CalledAgent;
  readonly name: string;
  readonly input: Parameters<Tool['execute']>[0];
  readonly context: ToolContext;
}

/**
 * Runs a called agent from its current state. If the agent waits, so does this call, until the run is
 * resumed.
 */
async function call(
  loop: GraphLoop,
  { current, arrivals }: CallingAgent & { readonly arrivals: Arrivals<Arrival> },
  { agent, name, input, context: { ref, signal } }: AgentCall,
): ReturnType<Tool['execute']> {
  const key = keyOf(name, ref);
  const path = joinPaths(loop.pathOf(current), key);
  const place = { arrivals, scope: joinPaths(activationId(current), key) };
  const { request = '' } = membersOf(input);
  const text = typeof request === 'string' ? request : JSON.stringify(request);
  const first: SessionEvent =
    loop.current().frames.get(key) === undefined
      ? { type: 'message-added', message: { role: 'user', content: [textPart(text)] } }
      : { type: 'run-continued' };
  if ((await told(place, { durable: true, events: [first] })) === 'give-up') throw stopped();
  const shared = loop.options.run;
  const options: RunOptions = {
    ...agentOptions(agent, shared, loop.options.code),
    runId: `${shared.runId}:${path}`,
    sessionId: shared.sessionId ?? shared.runId,
    interrupts: loop.interrupts.at(path),
  };
  const child = frameAt(loop, key);
  const outcome = await pump(run(child, options, signal), place, child);
  if (outcome === undefined) throw stopped();
  if (outcome.type === 'interrupted') {
    arrivals.put({ type: 'parked', key });
    return await untilStopped(signal);
  }
  const { reason } = outcome;
  if (reason.type === 'done' || reason.type === 'finished') return replyOutput(reason, outcome.state);
  if (reason.type === 'failed') throw new HitlError('NODE_FAILED', reason.error.message);
  throw reason.type === 'limit'
    ? new HitlError('LIMIT_REACHED', `stopped: ${limitName(reason.limit)} reached`)
    : stopped();
}

function stopped(): HitlError {
  return new HitlError('ABORTED', 'it was stopped');
}

function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = (): void => {
      reject(stopped());
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
