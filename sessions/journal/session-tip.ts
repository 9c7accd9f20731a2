import type { RunState, SessionEvent, SessionInit, StoredEvent } from '../../src/core/index.js';
import { LAW, emptyState, evolve, present, ROOT_PATH } from '../../src/core/index.js';
import { encodeLine } from '../format/codec.js';
import { FORMAT_VERSION } from '../format/format-steps.js';
import type { FileTip } from './durable-file.js';
import type { JournalPosition } from './scan-journal.js';
import { JOURNAL_START } from './scan-journal.js';

/** A session's position after its last record. */
export interface SessionTip extends FileTip, JournalPosition {
  readonly state: RunState;
  /** Whether this writer's `session-opened` is in the journal. */
  readonly isOpened: boolean;
  /**
   * Events with which the next writer adopts foreign records: in `state`, but not in the journal. Empty in a
   * session that ends with our record.
   */
  readonly adoption: readonly SessionEvent[];
  /**
   * Identifies the last past, adopted or to be adopted: answers are valid only for the past they were given
   * in.
   */
  readonly past: string;
  /** ISO 8601: when the first and the last record were written; empty without records. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** The tip of a session without records. */
export const NO_RECORDS: SessionTip = {
  ...JOURNAL_START,
  state: emptyState(),
  isOpened: false,
  adoption: [],
  past: '',
  createdAt: '',
  updatedAt: '',
};

/** The writer, and the time of writing. */
export interface Writer {
  readonly pid: number;
  readonly host: string;
  /** User who owns the files of a disk session. */
  readonly owner?: number | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** Creates a record's MAC after a chain; absent without a key. */
  readonly sign?: ((before: string, body: Buffer) => string) | undefined;
  /** Written with its first events, after `session-opened`. */
  readonly first: readonly SessionEvent[];
}

/**
 * Encodes events as lines, folding each before it is written; a writer's first ones include its
 * `session-opened`.
 * @throws HitlError ILLEGAL_EVENT
 */
export function encodeBatch(
  tip: SessionTip,
  events: readonly SessionEvent[],
  writer: Writer,
): { readonly lines: readonly Buffer[]; readonly stored: readonly StoredEvent[]; readonly tip: SessionTip } {
  const { at, sign } = writer;
  const lines: Buffer[] = [];
  const all: StoredEvent[] = [];
  let { length, seq, prev, state } = tip;
  const add = (event: SessionEvent): void => {
    seq += 1;
    const { scope = ROOT_PATH, ...body } = event;
    const stored = { v: FORMAT_VERSION, seq, at, scope, event } as const;
    const before = prev;
    const { line, chain } = encodeLine(
      { ...stored, event: body },
      before,
      sign && ((bytes) => sign(before, bytes)),
    );
    all.push(stored);
    prev = chain;
    length += line.length;
    lines.push(line);
  };
  for (const event of tip.adoption) add(event); // `state` has them
  for (const event of tip.isOpened ? events : withOpening(tip, events, writer)) {
    state = evolve(state, event);
    add(event);
  }
  const createdAt = tip.seq === 0 ? at : tip.createdAt;
  const { past } = tip;
  return {
    lines,
    stored: all,
    tip: { length, seq, prev, state, isOpened: true, adoption: [], past, createdAt, updatedAt: at },
  };
}

/** Puts `session-opened` before a writer's first event, or right after `session-created`. */
function withOpening(
  tip: SessionTip,
  events: readonly SessionEvent[],
  { pid, host, owner, first: before }: Writer,
): readonly SessionEvent[] {
  const epoch = (tip.state.writer?.epoch ?? 0) + 1;
  const opened: SessionEvent = {
    ...{ type: 'session-opened', epoch, pid, host, law: LAW },
    ...present({ owner }),
  };
  const [first, ...rest] = events;
  return first?.type === 'session-created' ? [first, opened, ...rest] : [opened, ...before, ...events];
}

/** Creates a session's first event. */
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
