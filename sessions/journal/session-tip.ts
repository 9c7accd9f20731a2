import type { RunState, SessionEvent, SessionInit, StoredEvent } from '../../src/core/index.js';
import { LAW, emptyState, evolve, present, ROOT_PATH } from '../../src/core/index.js';
import { encodeLine } from '../format/codec.js';
import { FORMAT_VERSION } from '../format/format-steps.js';
import type { FileTip } from './durable-file.js';
import type { JournalPosition } from './scan-journal.js';
import { JOURNAL_START } from './scan-journal.js';

/** The end of a session's journal, with the state after its last record. */
export interface SessionTip extends FileTip, JournalPosition {
  readonly state: RunState;
  /** Whether the `session-opened` event of this writer is in the journal. */
  readonly isOpened: boolean;
  /**
   * Events that the next writer uses to adopt records that were not written with our key. `state` includes
   * these events, but the journal does not. Empty if our key wrote the last record.
   */
  readonly adoption: readonly SessionEvent[];
  /**
   * Identifies the latest version of the history. It changes when records that our key did not write are
   * adopted. An answer is valid only for the version in which it was given.
   */
  readonly past: string;
  /** ISO 8601 timestamps of the first and the last record; empty if there are no records. */
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

/** Information about the process that writes, and the time of writing. */
export interface Writer {
  readonly pid: number;
  readonly host: string;
  /** Id of the user who owns the files of a session on disk. */
  readonly owner?: number | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** Returns the MAC of a record, given the previous chain value. Absent without a key. */
  readonly sign?: ((before: string, body: Buffer) => string) | undefined;
  /** Events to write after the writer's `session-opened`, before its own first events. */
  readonly first: readonly SessionEvent[];
}

/**
 * Encodes events as lines. Applies each event to the state before it is written. The first batch of a writer
 * includes its `session-opened` event.
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

/** Inserts `session-opened` before a writer's first event, or directly after `session-created`. */
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

/** Creates the first event of a session. */
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
