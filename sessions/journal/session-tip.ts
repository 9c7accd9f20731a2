import type { RunState, SessionEvent, SessionInit, StoredEvent } from '../../src/core/index.js';
import { LAW, emptyState, evolve, present, ROOT_PATH } from '../../src/core/index.js';
import { encodeLine } from '../format/codec.js';
import { FORMAT_VERSION } from '../format/format-steps.js';
import type { FileTip } from './durable-file.js';
import type { JournalPosition } from './scan-journal.js';
import { JOURNAL_START } from './scan-journal.js';

/** The position of a session behind its last record. */
export interface SessionTip extends FileTip, JournalPosition {
  readonly state: RunState;
  /** This writer's `session-opened` is in the journal. */
  readonly isOpened: boolean;
  /**
   * The events with which the next writer takes over what it did not write: they are in `state` and not in the journal.
   * Empty in a session that ends with a record of ours.
   */
  readonly adoption: readonly SessionEvent[];
  /** Names the past that was taken over last, or is to be: answers count in the past that they were given in. */
  readonly past: string;
  /** ISO 8601: when the first and the last record were written; empty without records. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A session without records. */
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
  /** The user who owns the files, where files keep the session. */
  readonly owner?: number | undefined;
  /** ISO 8601. */
  readonly at: string;
  /** Makes the mac of a record behind a chain; absent where there is no key. */
  readonly sign?: ((before: string, body: Buffer) => string) | undefined;
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

/** `session-opened` goes before a writer's first event, or right behind `session-created`. */
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
