import type { AgentFingerprint } from '../question/agent.js';
import type { Call, ResolvedInterrupt } from './call.js';
import type { SessionParent, RunEnd } from './event.js';
import type { SessionRule } from '../question/session-scope.js';
import type { Refusal, ReplyEnd, Usage } from '../data/finish-reason.js';
import { NO_USAGE } from '../data/finish-reason.js';
import type { ActivationOf, GraphFrameOf } from './frame.js';
import type { Interrupt, Subject } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import type { Message } from '../data/message.js';
import { AppendList, RefIndex } from '../data/sequence.js';
import type { Review } from '../data/review.js';
import type { ReviewStreak } from '../question/review.js';
import type { CastVote } from '../question/standing-votes.js';
import type { Requester } from '../question/identity.js';
import type { FileBack } from './files-back.js';
import type { InboxItem } from './inbox-item.js';

/** A message in the history, which no longer changes. */
export interface Entry {
  /** The original message. A tool message has one response per request, in source order. */
  readonly message: Message;
  /** The message sent to the model instead, if it differs because an input was edited. */
  readonly view?: Message;
  readonly usage?: Usage;
  readonly end?: ReplyEnd;
  readonly refusal?: Refusal;
  /** The calls with their outcomes, in source order, for a model message with tool requests. */
  readonly calls?: readonly Call[];
  /** Files that a person restored before the message, for a user message. */
  readonly filesBack?: readonly FileBack[];
}

/** A model message with unsettled calls. */
export interface OpenTurn {
  readonly message: Message;
  readonly usage?: Usage;
  readonly end?: ReplyEnd;
  readonly refusal?: Refusal;
  /** In source order. */
  readonly calls: readonly Call[];
}

/** Amounts by which people have extended the limits. */
export interface Extensions {
  /** Rounds added since the last user message. */
  readonly rounds: number;
  /** US dollars added for the whole session. */
  readonly costUsd: number;
  /** Milliseconds added since the last user message. */
  readonly timeMs: number;
  /** Tokens added for the whole session. If absent, 0. */
  readonly tokens?: number;
  /** Tokens added per request. If absent, 0. */
  readonly contextTokens?: number;
}

/** One visit to a graph node. */
export type Activation = ActivationOf<RunState>;

/** A graph running at one scope. */
export type GraphFrame = GraphFrameOf<RunState>;

/** The part of a conversation that was replaced by a summary. */
export interface Compacted {
  /** Number of messages at the start that the summary covers. */
  readonly to: number;
  /** Number of messages in the session when the summary was created. */
  readonly at: number;
  /** The summary, written by a model. */
  readonly summary: string;
  /** People's decisions in that part, from the journal. */
  readonly decisions: readonly string[];
}

/** First and last number of a range. */
export type SeqRange = readonly [from: number, to: number];

/** State of the external messages, according to the journal. */
export interface InboxState {
  /** Numbers of the delivered or dropped items, in ascending order. Numbers in between are still waiting. */
  readonly gone: readonly SeqRange[];
  /** Number of delivered messages, excluding control messages. */
  readonly delivered: number;
  readonly expired: number;
  readonly refused: number;
  /** The newest 100 delivered items whose effect is not known yet. */
  readonly unsettled: readonly InboxItem[];
  /** Time when an item was last delivered or dropped (ISO 8601). */
  readonly lastAt: string;
}

/** Whether the item with this number was delivered or dropped. */
export function isGone(inbox: InboxState | undefined, seq: number): boolean {
  const range = inbox?.gone[placeIn(inbox.gone, seq)];
  return range !== undefined && range[0] <= seq;
}

/**
 * Returns the index of the first range that ends at or after a number, or the number of ranges if there is
 * none.
 */
export function placeIn(ranges: readonly SeqRange[], seq: number): number {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const range = ranges[middle];
    if (range !== undefined && range[1] < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * State of a session, computed from its events. Properties that change with each turn are set to `undefined`
 * instead of being omitted, because objects with the same shape are cheap to copy.
 */
export interface RunState {
  readonly agent?: AgentFingerprint;
  readonly title?: string;
  readonly cwd?: string;
  readonly parent?: SessionParent;
  readonly entries: AppendList<Entry>;
  /** The messages to send to the model, excluding the open turn. */
  readonly view: AppendList<Message>;
  readonly open?: OpenTurn | undefined;
  /** The part of the conversation that the model receives as a summary. */
  readonly compacted?: Compacted | undefined;
  /** Set if a person asked for a summary before the next request. */
  readonly wantsCompaction?: boolean | undefined;
  /** Open interrupt of the run itself, which is a limit. */
  readonly asks?: Interrupt | undefined;
  /** All answered interrupts, in the order they were answered. */
  readonly resolved: AppendList<ResolvedInterrupt>;
  /** Current votes on the open questions in the session that need several votes. */
  readonly votes?: readonly CastVote[] | undefined;
  /** Reviews of the open questions in the session. */
  readonly reviews?: readonly Review[] | undefined;
  /** Number of consecutive reviews that did not allow a call. */
  readonly reviewStreak?: ReviewStreak | undefined;
  /** Who requested the session's work; absent if unknown. */
  readonly requesters?: readonly Requester[];
  /**
   * People whose answers have contained instructions since the last user message. They are treated as
   * requesters.
   */
  readonly advisers?: readonly Subject[] | undefined;
  readonly rules: readonly HeldRule[];
  /** Number of interrupts so far. The id of the next one is `i<n + 1>`. */
  readonly interruptCount: number;
  /** Number of user messages. */
  readonly turns: number;
  /** Tool rounds since the last user message. */
  readonly rounds: number;
  /** Calls that had started before the session went back to an earlier point. */
  readonly takenBack?: readonly TakenBack[];
  /** Files that a person restored since the last user message. */
  readonly filesBack?: readonly FileBack[] | undefined;
  /** Number of requests to the model since its last reply. */
  readonly modelAttempts: number;
  readonly extended: Extensions;
  readonly usage: Usage;
  /** Why the last run ended; absent while there is work to do. */
  readonly ended?: RunEnd | undefined;
  /** The latest writer. */
  readonly writer?: {
    readonly epoch: number;
    readonly pid: number;
    readonly host: string;
    /** Version of the voting rules in effect. If absent, version 1. */
    readonly law?: number;
    /** User ID of the owner of the session's files; absent if there are no files. */
    readonly owner?: number;
  };
  /** Time when the store was last restored from a backup, as reported by the store. */
  readonly restoredAt?: string | undefined;
  /** Set if the adopted history was copied from another session, which had already validated it. */
  readonly isCopied?: true | undefined;
  /** The state of the session's graph; absent in a chat. */
  readonly graph?: GraphFrame;
  /** State of the external messages; absent before the first one. */
  readonly inbox?: InboxState;
  /** All tool refs of the session. */
  readonly refs: RefIndex;
}

export const NOTHING_EXTENDED: Extensions = { rounds: 0, costUsd: 0, timeMs: 0 };

/** A call that started before a rewind. Its effects remain. */
export interface TakenBack {
  readonly name: string;
  /** The input that the call ran with. */
  readonly input: JsonValue;
}

/** A session rule, and the point in the session at which it was created. */
export interface HeldRule extends SessionRule {
  /**
   * The number of messages before the rule or, in a workflow, the activation (`review@2`). The rule becomes
   * void if the session goes back to an earlier point.
   */
  readonly madeAt?: number | string;
}

/** Returns the state of a session without events. */
export function emptyState(): RunState {
  return {
    entries: AppendList.of(),
    view: AppendList.of(),
    open: undefined,
    asks: undefined,
    ended: undefined,
    resolved: AppendList.of(),
    rules: [],
    interruptCount: 0,
    turns: 0,
    rounds: 0,
    modelAttempts: 0,
    extended: NOTHING_EXTENDED,
    usage: NO_USAGE,
    refs: RefIndex.empty(),
  };
}

const NONE: readonly Interrupt[] = [];

/** Returns all open interrupts, in source order. */
export function openInterrupts(state: RunState): readonly Interrupt[] {
  const { open: turn, asks, graph } = state;
  const inGraph = graph?.waiting(openInterrupts) ?? NONE;
  if (turn === undefined && asks === undefined) return inGraph;
  const open: Interrupt[] = [];
  eachOpenInterrupt(state, (interrupt) => {
    open.push(interrupt);
  });
  return open;
}

/** Calls a function for every open interrupt, in source order, without building a list. */
export function eachOpenInterrupt(
  { open, asks, graph }: RunState,
  show: (interrupt: Interrupt) => void,
): void {
  for (const { state } of open?.calls ?? []) if (state.status === 'interrupted') show(state.interrupt);
  if (asks !== undefined) show(asks);
  for (const interrupt of graph?.waiting(openInterrupts) ?? NONE) show(interrupt);
}

/** Whether an activation, or anything inside it, has an open question. */
export function isAsking({ open, asks, phase, frames, withdrawn = [] }: Activation): boolean {
  if (open !== undefined || asks.some(({ answer }) => answer === undefined)) return true;
  return (
    phase === 'run' &&
    frames.entries().some(([name, frame]) => !withdrawn.includes(name) && openInterrupts(frame).length > 0)
  );
}

/**
 * Returns the open interrupt that a running tool is waiting for. It can be answered only in the process that
 * runs the tool.
 */
export function interruptAtOnce({ open }: RunState, id: string): Interrupt | undefined {
  for (const { state: call } of open?.calls ?? [])
    if (call.status === 'started' && call.asking?.id === id) return call.asking;
  return undefined;
}

/** Returns the open interrupt with an id, without building a list of all open ones. */
export function openInterrupt({ open, asks, graph }: RunState, id: string): Interrupt | undefined {
  for (const { state: call } of open?.calls ?? []) {
    if (call.status === 'interrupted' && call.interrupt.id === id) return call.interrupt;
  }
  if (asks?.id === id) return asks;
  return graph?.waiting(openInterrupts).find((interrupt) => interrupt.id === id);
}
