import type { RunState, SessionEvent, SessionInit, StoredEvent } from '../../src/core/index.js';
import { emptyState, evolve, present, ROOT_PATH } from '../../src/core/index.js';
import { chainOf, encodeLine, FORMAT_VERSION } from '../format/index.js';
import type { Opening } from '../seal/index.js';
import type { FileTip } from './durable-file.js';
import type { JournalPosition } from './scan-journal.js';
import { JOURNAL_START } from './scan-journal.js';

/** The position of a session behind its last record. */
export interface SessionTip extends FileTip, JournalPosition {
  readonly state: RunState;
  /** This writer's `session-opened` is in the journal. */
  readonly isOpened: boolean;
  /** The latest opening; absent before the first. */
  readonly opening: Opening | undefined;
  /** Nobody here sealed the latest opening: `state` is without what was approved there, and the next record says so. */
  readonly isForeign: boolean;
  /** ISO 8601: when the first and the last record were written; empty without records. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A session without records. */
export const NO_RECORDS: SessionTip = {
  ...JOURNAL_START,
  state: emptyState(),
  isOpened: false,
  opening: undefined,
  isForeign: false,
  createdAt: '',
  updatedAt: '',
};

/** The writer, and the time of writing. */
export interface Writer {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly at: string;
  /** The seal of an opening behind this chain; `undefined` where there is no key. */
  readonly seal?: (prev: string) => string | undefined;
  /** Comes with its first events, right behind `session-opened`. */
  readonly first: readonly SessionEvent[];
}

/**
 * Events as lines, each folded before it is written; a writer's first ones come with its `session-opened`.
 * @throws HitlError ILLEGAL_EVENT
 */
export function encodeBatch(
  tip: SessionTip,
  events: readonly SessionEvent[],
  writer: Writer,
): { readonly lines: readonly Buffer[]; readonly stored: readonly StoredEvent[]; readonly tip: SessionTip } {
  const { at } = writer;
  const lines: Buffer[] = [];
  const all: StoredEvent[] = [];
  let { length, seq, prev, state, opening } = tip;
  for (const given of tip.isOpened ? events : withOpening(tip, events, writer)) {
    const event =
      given.type === 'session-opened' ? { ...given, ...present({ seal: writer.seal?.(prev) }) } : given;
    if (event.type === 'session-opened') opening = { prev, ...present({ seal: event.seal }) };
    state = evolve(state, event);
    seq += 1;
    const { scope = ROOT_PATH, ...body } = event;
    const stored = { v: FORMAT_VERSION, seq, prev, at, scope, event } as const;
    const line = encodeLine({ ...stored, event: body });
    all.push(stored);
    prev = chainOf(line.subarray(0, -1));
    length += line.length;
    lines.push(line);
  }
  const createdAt = tip.seq === 0 ? at : tip.createdAt;
  return {
    lines,
    stored: all,
    tip: { length, seq, prev, state, isOpened: true, opening, isForeign: false, createdAt, updatedAt: at },
  };
}

/** `session-opened` goes before a writer's first event, or right behind `session-created`. */
function withOpening(
  tip: SessionTip,
  events: readonly SessionEvent[],
  { pid, host, first: before }: Writer,
): readonly SessionEvent[] {
  const epoch = (tip.state.writer?.epoch ?? 0) + 1;
  const opened: SessionEvent = { type: 'session-opened', epoch, pid, host };
  const [first, ...rest] = events;
  const voided: readonly SessionEvent[] = tip.isForeign ? [{ type: 'approvals-voided' }] : [];
  return first?.type === 'session-created'
    ? [first, opened, ...rest]
    : [opened, ...voided, ...before, ...events];
}

/** The event that begins a session. */
export function createdEvent({ agent, title, cwd, parent, by }: SessionInit): SessionEvent {
  return {
    type: 'session-created',
    agent,
    ...(title !== undefined && { title }),
    ...(cwd !== undefined && { cwd }),
    ...(parent !== undefined && { parent }),
    ...(by !== undefined && { by }),
  };
}
