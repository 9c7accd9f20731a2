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

/** A past message, which no longer changes. */
export interface Entry {
  /** The original message; a tool message has one response per request, in source order. */
  readonly message: Message;
  /** The message that a model gets instead, if different (an edited input). */
  readonly view?: Message;
  readonly usage?: Usage;
  readonly end?: ReplyEnd;
  readonly refusal?: Refusal;
  /** On a model message with tool requests: each call's outcome, in source order. */
  readonly calls?: readonly Call[];
  /** On a user message: files that a person restored before it. */
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

/** Amounts by which people extended the limits. */
export interface Extensions {
  /** Since the last user message. */
  readonly rounds: number;
  /** Over the whole session. */
  readonly costUsd: number;
  /** Since the last user message. */
  readonly timeMs: number;
  /** Tokens over the whole session; absent means 0. */
  readonly tokens?: number;
  /** Tokens of a request; absent means 0. */
  readonly contextTokens?: number;
}

/** One entry of a graph's node. */
export type Activation = ActivationOf<RunState>;

/** A graph running at one scope. */
export type GraphFrame = GraphFrameOf<RunState>;

/** The summarized part of a conversation. */
export interface Compacted {
  /** Number of leading messages that the summary covers. */
  readonly to: number;
  /** Number of messages when it was made. */
  readonly at: number;
  /** Text written by a model. */
  readonly summary: string;
  /** The decisions of people in that part, from the journal. */
  readonly decisions: readonly string[];
}

/** First and last of consecutive numbers. */
export type SeqRange = readonly [from: number, to: number];

/** Outside messages, according to the journal. */
export interface InboxState {
  /** Numbers of delivered or dropped items, ascending. The gaps are waiting. */
  readonly gone: readonly SeqRange[];
  /** Number of delivered messages, without verbs. */
  readonly delivered: number;
  readonly expired: number;
  readonly refused: number;
  /** Delivered without a known effect; the newest 100. */
  readonly unsettled: readonly InboxItem[];
  /** ISO 8601: when something was last delivered or dropped. */
  readonly lastAt: string;
}

/** Whether the item with this number was delivered or dropped. */
export function isGone(inbox: InboxState | undefined, seq: number): boolean {
  const range = inbox?.gone[placeIn(inbox.gone, seq)];
  return range !== undefined && range[0] <= seq;
}

/**
 * Returns the index of the first range that ends at or after a number; the number of ranges if there is none.
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
 * The state of a session: the fold of its events. Properties that change with each turn are `undefined` instead of
 * absent, because copies of objects with the same shape are cheap.
 */
export interface RunState {
  readonly agent?: AgentFingerprint;
  readonly title?: string;
  readonly cwd?: string;
  readonly parent?: SessionParent;
  readonly entries: AppendList<Entry>;
  /** The messages for the model, without the open turn. */
  readonly view: AppendList<Message>;
  readonly open?: OpenTurn | undefined;
  /** The part of the conversation that the model gets as a summary. */
  readonly compacted?: Compacted | undefined;
  /** A person requested a summary before the next request. */
  readonly wantsCompaction?: boolean | undefined;
  /** An open interrupt of the run itself: a limit. */
  readonly asks?: Interrupt | undefined;
  /** All answered interrupts, in answer order. */
  readonly resolved: AppendList<ResolvedInterrupt>;
  /** Current votes on open questions that need several, in the whole session. */
  readonly votes?: readonly CastVote[] | undefined;
  /** Reviews of open questions, in the whole session. */
  readonly reviews?: readonly Review[] | undefined;
  /** Consecutive reviews that did not allow the call. */
  readonly reviewStreak?: ReviewStreak | undefined;
  /** The requesters; absent if unknown. */
  readonly requesters?: readonly Requester[];
  /** People who gave instructions in answers since a person last wrote: they count as requesters. */
  readonly advisers?: readonly Subject[] | undefined;
  readonly rules: readonly HeldRule[];
  /** Number of interrupts so far; the next is `i<n + 1>`. */
  readonly interruptCount: number;
  /** Number of user messages. */
  readonly turns: number;
  /** Tool rounds since the last user message. */
  readonly rounds: number;
  /** Started calls that were undone by going back. */
  readonly takenBack?: readonly TakenBack[];
  /** Files that a person restored since the last user message. */
  readonly filesBack?: readonly FileBack[] | undefined;
  /** Model requests since the last reply. */
  readonly modelAttempts: number;
  readonly extended: Extensions;
  readonly usage: Usage;
  /** Why the last run ended; absent while there is something to do. */
  readonly ended?: RunEnd | undefined;
  /** The latest writer. */
  readonly writer?: {
    readonly epoch: number;
    readonly pid: number;
    readonly host: string;
    /** The version of its voting law; absent: the first. */
    readonly law?: number;
    /** User ID of the owner of the session's files; absent without files. */
    readonly owner?: number;
  };
  /** When its store was last restored from a backup, according to the store. */
  readonly restoredAt?: string | undefined;
  /** The adopted history comes from another session, which validated it. */
  readonly isCopied?: true | undefined;
  /** The state of the session's graph; absent in a chat. */
  readonly graph?: GraphFrame;
  /** Outcomes of outside messages; absent before the first. */
  readonly inbox?: InboxState;
  /** All tool refs of the session. */
  readonly refs: RefIndex;
}

export const NOTHING_EXTENDED: Extensions = { rounds: 0, costUsd: 0, timeMs: 0 };

/** A call that had started before a rewind: its effects remain. */
export interface TakenBack {
  readonly name: string;
  /** The input that ran. */
  readonly input: JsonValue;
}

/** A session rule, and where it was created. */
export interface HeldRule extends SessionRule {
  /** The number of messages before it; in a workflow the activation, `review@2`. Going back to before it voids the rule. */
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

/** Whether an activation, or something inside it, has an open question. */
export function isAsking({ open, asks, phase, frames, withdrawn = [] }: Activation): boolean {
  if (open !== undefined || asks.some(({ answer }) => answer === undefined)) return true;
  return (
    phase === 'run' &&
    frames.entries().some(([name, frame]) => !withdrawn.includes(name) && openInterrupts(frame).length > 0)
  );
}

/** Returns the open interrupt of a running call's body: it can only be answered locally. */
export function interruptAtOnce({ open }: RunState, id: string): Interrupt | undefined {
  for (const { state: call } of open?.calls ?? [])
    if (call.status === 'started' && call.asking?.id === id) return call.asking;
  return undefined;
}

/** The open interrupt with an id. Does not build the list of all open ones. */
export function openInterrupt({ open, asks, graph }: RunState, id: string): Interrupt | undefined {
  for (const { state: call } of open?.calls ?? []) {
    if (call.status === 'interrupted' && call.interrupt.id === id) return call.interrupt;
  }
  if (asks?.id === id) return asks;
  return graph?.waiting(openInterrupts).find((interrupt) => interrupt.id === id);
}
