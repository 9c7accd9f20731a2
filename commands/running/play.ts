import type { AgentFingerprint, RunInbox, TurnSource } from '../../src/core/index.js';
import {
  count,
  present,
  replySettings,
  servedChanges,
  ROOT_PATH,
  SecretVault,
  shown,
  joined,
} from '../../src/core/index.js';
import type { Graph, GraphSteering } from '../../src/graph/index.js';
import { withMemory } from '../agent/project-memory.js';
import { roomOf } from '../agent/room.js';
import { runGraph, toolsAt } from '../../src/graph/index.js';
import type { ConversationOptions, FlowRunner, ReplEnd } from '../../src/repl/index.js';
import { converse as conversation, keep, repl } from '../../src/repl/index.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { secretValues, tell, requesterHere } from '../host/index.js';
import { countedTurns, firstTurn, nothingSaid } from '../input/turns.js';
import { reportError } from '../exit/report-error.js';
import { besideQuestion, runSlash } from '../slash/slash.js';
import type { SessionRun } from './session-run.js';
import type { Stage } from './stage.js';
import { withServerPrompts } from '../mcp/server-prompts.js';

/** How long to wait at the end for the lock on the message queue, in milliseconds. */
const LEFT_MS = 5_000;

/** How a run of a session ended: it stopped normally, or failed with an error. */
export type Played =
  | { readonly type: 'ended'; readonly end: ReplEnd }
  | { readonly type: 'failed'; readonly thrown: unknown };

/** Runs a session, either a chat or a workflow, until it stops. Never throws. */
export async function play(io: Io, flags: RunFlags, given: SessionRun, stage: Stage): Promise<Played> {
  try {
    return { type: 'ended', end: await converse(io, flags, given, stage) };
  } catch (thrown) {
    return { type: 'failed', thrown };
  }
}

async function converse(io: Io, flags: RunFlags, given: SessionRun, stage: Stage): Promise<ReplEnd> {
  const { session, agent } = given;
  agent.rules.watch(() => session.state.rules);
  const options = conversationOptions(io, flags, given, stage);
  const beginWork = (): AbortSignal => {
    stage.people.forget();
    return stage.signals.beginWork();
  };
  if (agent.graph === undefined) return playChat(io, flags, given, { ...stage, options, beginWork });
  const stop = AbortSignal.any([beginWork(), stage.signals.leave]);
  return driveFlow(options, agent.graph, given, stop);
}

/** Returns the options shared by chats and workflows: session, model, limits and people. */
function conversationOptions(
  io: Io,
  flags: RunFlags,
  given: SessionRun,
  { renderer, people }: Stage,
): ConversationOptions {
  const { store, session, agent } = given;
  const { model, tools, graph } = agent;
  const fingerprint = fingerprintOf(given);
  const system = withMemory(fingerprint?.system, agent.memory);
  // Where nobody else sees the session, nobody answers or sends from elsewhere.
  const { shared, files } = store.capabilities;
  const posted = shared ? session.answers() : undefined;
  const inbox = shared ? session.inbox() : undefined;
  const steering = graph === undefined ? steeringBy(inbox, renderer) : undefined;
  return {
    session,
    renderer,
    channel: people.channel,
    ...present({ takes: people.takes, posted, inbox }),
    changes: ({ agent: known }) => servedChanges(known, tools.descriptors),
    run: {
      model,
      tools,
      clock: io.clock,
      runId: session.id,
      vault: new SecretVault(),
      ...present({ reviewedBy: people.reviewedBy }),
      ...(files && { keepCopy: (bytes, sha256) => files.keep(session.id, bytes, sha256) }),
      limits: {
        maxTurns: flags.maxTurns,
        ...present({ maxCostUsd: flags.maxCost, maxTokens: flags.maxTokens, maxTimeMs: flags.maxTime }),
      },
      ...present({ system, outputSchema: given.output?.json, onToolError: flags.onToolError }),
      room: () => roomOf(flags, model),
      ...(fingerprint !== undefined && replySettings(fingerprint)),
      ...(steering !== undefined && { steering: { ...steering, path: ROOT_PATH } }),
    },
  };
}

/** Steers a run with messages from an inbox, if there is one. */
function steeringBy(
  inbox: RunInbox | undefined,
  renderer: Stage['renderer'],
): Pick<GraphSteering, 'inbox' | 'notice'> | undefined {
  return (
    inbox && {
      inbox,
      notice: (text) => {
        renderer.notice(text);
      },
    }
  );
}

interface ChatStage extends Stage {
  readonly options: ConversationOptions;
  readonly beginWork: () => AbortSignal;
}

/** Runs a chat: the conversation with its turns and prompt commands. */
async function playChat(io: Io, flags: RunFlags, given: SessionRun, stage: ChatStage): Promise<ReplEnd> {
  const { store, session, agent, mode, prompt } = given;
  const { renderer, signals, clear, line, looked, options, beginWork } = stage;
  const said = ofServers(io, given, stage);
  const turns = countedTurns(firstTurn(prompt, said, given.attached));
  const context = {
    io,
    flags,
    mode,
    store,
    session,
    ...agent,
    renderer,
    ...present({ clear, line, looked }),
  };
  const command = (name: string, argument: string): ReturnType<typeof runSlash> =>
    runSlash(name, argument, context);
  const failed = (thrown: unknown): void =>
    void io.stderr.write(shown`${joined(reportError(thrown).lines)}\n`);
  stage.beside(besideQuestion(command, failed));
  const end = await repl(
    {
      ...options,
      turns,
      beginWork,
      command,
      by: requesterHere(),
      once: flags.print === true,
      leaveOnFailure: !mode.interactive,
    },
    signals.leave,
  );
  const hadNothing = end.why === 'turns-ended' && end.rest === undefined && turns.taken === 0;
  const isAsked = io.stdin.isTTY || (flags.print === true && session.state.turns === 0);
  if (hadNothing && isAsked && !mode.interactive) throw nothingSaid(flags, io.stdin);
  return end;
}

/**
 * Returns the user's turns with `/server:prompt` expanded. Loads no code for this if there are no servers.
 */
function ofServers(
  io: Io,
  { agent: { servers, model } }: SessionRun,
  { renderer, people, beginWork }: Pick<ChatStage, 'renderer' | 'people' | 'beginWork'>,
): TurnSource {
  const { confirm } = people;
  if (servers.servers.connections.length === 0) return people.turns;
  return withServerPrompts(people.turns, {
    servers,
    beginWork,
    secrets: secretValues(io.env),
    takesMedia: () => model.current.takesMedia !== false,
    say: (text) => {
      renderer.pause();
      tell(io.stderr, text);
    },
    ...(confirm !== undefined && {
      confirm: (message, signal) => confirm(message, { yes: 'send', no: 'send nothing' }, signal),
    }),
  });
}

/**
 * Returns the agent of this run. A changed agent applies immediately, and is recorded in the journal together
 * with the first event.
 */
function fingerprintOf({ session, before = [] }: SessionRun): AgentFingerprint | undefined {
  const changed = before.findLast((event) => event.type === 'agent-changed');
  return changed?.agent ?? session.state.agent;
}

/** Runs a workflow until it ends or waits. There are no user turns. */
async function driveFlow(
  options: ConversationOptions,
  graph: Graph,
  { agent, start }: SessionRun,
  signal: AbortSignal,
): Promise<ReplEnd> {
  const { session, renderer, run, inbox } = options;
  const steering = steeringBy(inbox, renderer);
  const graphOptions = {
    run,
    ...present({ start }),
    ...(steering !== undefined && { steering: { ...steering, ...present({ reason: agent.reason }) } }),
  };
  const flow: FlowRunner = {
    run: (state, stop, notice) => runGraph(state, graph, { ...graphOptions, notice }, stop),
    toolsAt: (path, state) => toolsAt(graph, state, path, run.tools),
  };
  const rest = await conversation({ ...options, flow }, signal);
  if (rest.type === 'ended' && inbox !== undefined) await tellLeft(inbox, options);
  renderer.stopped(session.state);
  await session.saveTranscript?.();
  return { why: rest.type === 'waiting' ? 'waiting' : 'once', rest };
}

/** Reports messages that were not delivered, and leaves them in the queue for the next run. */
async function tellLeft(inbox: RunInbox, { session, renderer }: ConversationOptions): Promise<void> {
  const left = await inbox.end(AbortSignal.timeout(LEFT_MS));
  try {
    if (left.events.length > 0) await keep(left.events, session, renderer);
  } finally {
    left.release();
  }
  const { length } = left.messages;
  if (length === 0) return;
  const what = count(length, 'message was', 'messages were');
  renderer.notice(`${what} not delivered: hitl queue ${session.id}`);
}
