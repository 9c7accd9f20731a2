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
import type { CastVote } from '../question/standing-votes.js';
import type { Requester } from '../question/identity.js';
import type { InboxItem } from './inbox-item.js';

/** A message that is history: nothing about it changes any more. */
export interface Entry {
  /** As it was said; a tool message holds one response for each request, in source order. */
  readonly message: Message;
  /** The message that a model is sent in its place, where that differs (an edited input). */
  readonly view?: Message;
  readonly usage?: Usage;
  readonly end?: ReplyEnd;
  readonly refusal?: Refusal;
  /** On a model message with tool requests: how each call went, in source order. */
  readonly calls?: readonly Call[];
}

/** A model message whose calls are not all settled. */
export interface OpenTurn {
  readonly message: Message;
  readonly usage?: Usage;
  readonly end?: ReplyEnd;
  readonly refusal?: Refusal;
  /** In source order. */
  readonly calls: readonly Call[];
}

/** The amounts that people allowed beyond the limits that were given. */
export interface Extensions {
  /** Since the last user message, as `rounds` is counted. */
  readonly rounds: number;
  /** Over the whole session, as cost is counted. */
  readonly costUsd: number;
  /** Since the last user message. */
  readonly timeMs: number;
  /** Tokens over the whole session; absent as 0 is. */
  readonly tokens?: number;
  /** Tokens of a request; absent as 0 is. */
  readonly contextTokens?: number;
}

/** One entry of a node of a graph. */
export type Activation = ActivationOf<RunState>;

/** A graph run at one scope. */
export type GraphFrame = GraphFrameOf<RunState>;

/** The part of a conversation that a model is told in a summary. */
export interface Compacted {
  /** The number of messages that the summary stands for, from the first one on. */
  readonly to: number;
  /** The number of messages that there were when it was made. */
  readonly at: number;
  /** Words of a model. */
  readonly summary: string;
  /** The decisions of people in that part, from the journal. */
  readonly decisions: readonly string[];
}

/** The first and the last of numbers without a gap. */
export type SeqRange = readonly [from: number, to: number];

/** The messages from outside, as the journal knows them. */
export interface InboxState {
  /** The numbers of everything that was delivered or dropped, ascending. Its gaps are what waits. */
  readonly gone: readonly SeqRange[];
  /** Messages that were delivered; verbs are not counted. */
  readonly delivered: number;
  readonly expired: number;
  readonly refused: number;
  /** Delivered, and nobody knows of an effect; the newest 100. */
  readonly unsettled: readonly InboxItem[];
  /** ISO 8601: when something was last delivered or dropped. */
  readonly lastAt: string;
}

/** True where the item with this number was delivered or dropped. */
export function isGone(inbox: InboxState | undefined, seq: number): boolean {
  const range = inbox?.gone[placeIn(inbox.gone, seq)];
  return range !== undefined && range[0] <= seq;
}

/** The index of the first range that does not end before a number; behind the last one where all do. */
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
 * The state of a session: a fold over its events and nothing else. A member that comes and goes with each turn is
 * `undefined` while it is not there, and no absent member: a copy of an object is cheap as long as its shape stays.
 */
export interface RunState {
  readonly agent?: AgentFingerprint;
  readonly title?: string;
  readonly cwd?: string;
  readonly parent?: SessionParent;
  readonly entries: AppendList<Entry>;
  /** The messages a model is sent, without the open turn. */
  readonly view: AppendList<Message>;
  readonly open?: OpenTurn | undefined;
  /** The part of the conversation that a model is told in a summary. */
  readonly compacted?: Compacted | undefined;
  /** A person wants what was said to be summed up before the model is asked again. */
  readonly wantsCompaction?: boolean | undefined;
  /** An open interrupt of the run itself: a limit. */
  readonly asks?: Interrupt | undefined;
  /** Every answered interrupt, in the order of the answers. */
  readonly resolved: AppendList<ResolvedInterrupt>;
  /** The votes so far about open questions that need more than one; of the session, wherever it asks. */
  readonly votes?: readonly CastVote[] | undefined;
  /** The people who asked for what the session does; absent where nobody knows. */
  readonly requesters?: readonly Requester[];
  /** The people who said with an answer what to do instead, since a person spoke last: they asked for what comes of it. */
  readonly advisers?: readonly Subject[] | undefined;
  readonly rules: readonly HeldRule[];
  /** The number of interrupts that were raised so far; the next one is `i<n + 1>`. */
  readonly interruptCount: number;
  /** User messages so far. */
  readonly turns: number;
  /** Rounds of tool calls since the last user message. */
  readonly rounds: number;
  /** Calls that were started and are no part of the conversation any more, since somebody went back to before them. */
  readonly takenBack?: readonly TakenBack[];
  /** Requests sent to the model since its last reply. */
  readonly modelAttempts: number;
  readonly extended: Extensions;
  readonly usage: Usage;
  /** The reason why the last run ended; absent while there is something to do. */
  readonly ended?: RunEnd | undefined;
  /** The latest writer. */
  readonly writer?: {
    readonly epoch: number;
    readonly pid: number;
    readonly host: string;
    /** The law of votes that it keeps; absent: the first one. */
    readonly law?: number;
    /** The user ID that owns the files of the session; absent where no files keep it. */
    readonly owner?: number;
  };
  /** When what keeps it was last restored from a backup: its store knows, and no record says it. */
  readonly restoredAt?: string | undefined;
  /** The past of another session is taken over: it was held to the law there. */
  readonly isCopied?: true | undefined;
  /** The state of the session's graph; absent in a chat. */
  readonly graph?: GraphFrame;
  /** The outcomes of messages from outside; absent before the first. */
  readonly inbox?: InboxState;
  /** Every tool ref of the session. */
  readonly refs: RefIndex;
}

export const NOTHING_EXTENDED: Extensions = { rounds: 0, costUsd: 0, timeMs: 0 };

/** A started call behind which somebody went back: what it did stays done. */
export interface TakenBack {
  readonly name: string;
  /** The input that ran. */
  readonly input: JsonValue;
}

/** A rule of a session, and where it was made. */
export interface HeldRule extends SessionRule {
  /** The number of messages before it; in a workflow the activation, `review@2`. Going back to before it voids the rule. */
  readonly madeAt?: number | string;
}

/** The state of a session without events. */
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

/** Every interrupt that waits for an answer, in source order. */
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

/** Shows every interrupt that waits for an answer, in source order, without a list of them. */
export function eachOpenInterrupt(
  { open, asks, graph }: RunState,
  show: (interrupt: Interrupt) => void,
): void {
  for (const { state } of open?.calls ?? []) if (state.status === 'interrupted') show(state.interrupt);
  if (asks !== undefined) show(asks);
  for (const interrupt of graph?.waiting(openInterrupts) ?? NONE) show(interrupt);
}

/** True where somebody is asked by an activation itself, or by what runs inside of it. */
export function isAsking({ open, asks, phase, frames, withdrawn = [] }: Activation): boolean {
  if (open !== undefined || asks.some(({ answer }) => answer === undefined)) return true;
  return (
    phase === 'run' &&
    frames.entries().some(([name, frame]) => !withdrawn.includes(name) && openInterrupts(frame).length > 0)
  );
}

/** The interrupt of an id that the body of a running call waits for: nobody elsewhere can answer it. */
export function interruptAtOnce({ open }: RunState, id: string): Interrupt | undefined {
  for (const { state: call } of open?.calls ?? [])
    if (call.status === 'started' && call.asking?.id === id) return call.asking;
  return undefined;
}

/** The interrupt of an id that waits for an answer. Looks for it without a list of all that do. */
export function openInterrupt({ open, asks, graph }: RunState, id: string): Interrupt | undefined {
  for (const { state: call } of open?.calls ?? []) {
    if (call.status === 'interrupted' && call.interrupt.id === id) return call.interrupt;
  }
  if (asks?.id === id) return asks;
  return graph?.waiting(openInterrupts).find((interrupt) => interrupt.id === id);
}
