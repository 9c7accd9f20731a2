import type {
  Call,
  InterruptDraft,
  LostRecords,
  RunState,
  SessionEvent,
  SessionId,
} from '../../src/core/index.js';
import { evolve, interruptId, makeInterrupt, present, ROOT_PATH } from '../../src/core/index.js';
import type { SessionTip, Writer } from '../journal/session-tip.js';
import type { JournalEnd } from '../seal/ends.js';
import type { Owner } from '../seal/authorship.js';
import { digestOfEnd, pastOf } from '../seal/authorship.js';
import type { LoadedJournal } from '../snapshot/load-journal.js';

// Invariants of taking over what was not written here (S2 of `../seal/record-seal.ts`):
// O1 The first record of ours behind a foreign one is the adoption: it is bound to all of the foreign past by content,
//    and voids in the same record what was approved there. A writer that dies behind it leaves nothing that counts.
// O2 The state that a reader sees is the one that the adoption will make: nothing foreign counts before it either.
// O3 What lost records may have done is in doubt: a call that could start again by itself becomes a question.

/** Information about a session that is stored outside its journal. */
export interface Known {
  /** The end of the session when it was last closed on this machine. */
  readonly end?: JournalEnd | undefined;
  /** Whether the session is a copy that has not been written to since it was copied. */
  readonly isCopy?: boolean;
  /** Whether the session's store was restored from a backup. If so, later records may be lost. */
  readonly isRestored?: boolean;
  /** Time at which the session's store was last restored. */
  readonly restoredAt?: string | undefined;
}

/**
 * Returns the tip of a loaded journal, including the events that adopt records not written with our key.
 * @param owner absent without a key.
 */
export function tipOf(loaded: LoadedJournal, owner: Owner | undefined, known: Known = {}): SessionTip {
  const { position, createdAt, updatedAt, foreign } = loaded;
  const rest = { ...position, isOpened: false, createdAt, updatedAt };
  const lost = owner && lostRecords(loaded, known.end);
  const isRestored = known.isRestored === true;
  const restored = present({ restoredAt: known.restoredAt });
  const isOurs =
    owner === undefined || (foreign === undefined && lost === undefined && known.isCopy !== true);
  if (position.seq === 0 || (isOurs && !isRestored))
    return { ...rest, state: { ...loaded.state, ...restored }, adoption: [], past: loaded.past };
  const adoption = {
    type: 'approvals-voided',
    past: foreign?.past ?? digestOfEnd(position.prev),
    ...present({ lost }),
    ...(isRestored && { restored: true as const }),
  } as const;
  const state = evolve(loaded.state, adoption);
  // What a foreign record says of the effects of tools is not believed here.
  const isInDoubt = foreign === undefined ? isOnce(state) : () => true;
  const doubts = lost === undefined && !isRestored ? [] : doubtsIn(state, updatedAt, isInDoubt);
  return {
    ...rest,
    state: { ...doubts.reduce(evolve, state), ...restored },
    adoption: [adoption, ...doubts],
    past: owner === undefined ? loaded.past : pastOf(adoption),
  };
}

/**
 * Describes the records that are missing from the end of a journal; `undefined` if no records are missing.
 * Does not apply to damaged journals, which are reported as damaged.
 */
function lostRecords(
  { position, health, foreign, chainAt }: LoadedJournal,
  end: JournalEnd | undefined,
): LostRecords | undefined {
  if (end === undefined || health.status === 'damaged' || health.status === 'newer') return undefined;
  const { seq, mac } = end;
  if (position.seq < seq) return { seq, mac, count: seq - position.seq };
  if (chainAt === mac) return undefined;
  return { seq, mac, count: foreign === undefined ? 1 : Math.max(1, seq - foreign.from + 1) };
}

/** Describes in one line which parts of a session are void and why; `undefined` if everything is valid. */
export function adoptionNotice(
  id: SessionId,
  { position, foreign }: LoadedJournal,
  tip: SessionTip,
  { isRestored = false }: Known = {},
): string | undefined {
  const [adoption] = tip.adoption;
  if (adoption?.type !== 'approvals-voided') return undefined;
  if (isRestored)
    return `session ${id} is in a database that was restored from a backup: its approvals are no longer valid, and you are asked about calls that may have run`;
  const { lost } = adoption;
  if (lost !== undefined) {
    const records = lost.count === 1 ? '1 record' : `${lost.count} records`;
    const are = lost.count === 1 ? 'is' : 'are';
    return `${records} of session ${id} ${lost.count === 1 ? 'was' : 'were'} saved but ${are} missing: its approvals are no longer valid, and you are asked about calls that may have run`;
  }
  const effect = 'its approvals are not valid, and you are asked again';
  if (foreign === undefined || foreign.from === 1)
    return foreign?.isOlder === true
      ? `session ${id} was written by an older version, which did not sign events: ${effect}`
      : `session ${id} was written elsewhere: ${effect}`;
  const records =
    foreign.from === position.seq ? `event ${foreign.from}` : `events ${foreign.from}-${position.seq}`;
  const were = foreign.from === position.seq ? 'was' : 'were';
  return `${records} of session ${id} ${were} not signed with your key: ${effect}`;
}

/** Returns the function that signs the records of a session; `undefined` without a key. */
export function signOf(owner: Owner | undefined): Writer['sign'] {
  return owner && ((before, body) => owner.seal.mac({ kind: 'journal', id: owner.id, before }, body));
}

function isOnce({ agent }: RunState): (call: Call) => boolean {
  return ({ request: { name } }) =>
    (agent?.tools.find((tool) => tool.name === name)?.effect ?? 'once') === 'once';
}

/** Returns events that ask about each call that would otherwise start or continue without asking. */
export function doubtsIn(
  state: RunState,
  raisedAt: string,
  isInDoubt: (call: Call) => boolean = () => true,
): readonly SessionEvent[] {
  const left = (state.open?.calls ?? []).filter(
    (call) => (call.state.status === 'ready' || call.state.status === 'started') && isInDoubt(call),
  );
  return left.map((call, index) => {
    const started = call.state.status === 'started' ? call.state : undefined;
    const { ref, name } = call.request;
    const draft: InterruptDraft = {
      kind: 'in-doubt',
      source: {
        type: 'tool',
        ref,
        name,
        input: started === undefined ? call.input : started.input,
        raisedBy: 'engine',
      },
      payload: {
        startedAt: started?.startedAt ?? null,
        attempt: call.attempts,
        pid: state.writer?.pid ?? null,
        salvaged: true,
      },
    };
    const id = interruptId(`i${state.interruptCount + index + 1}`);
    return { type: 'interrupt-raised', interrupt: makeInterrupt(draft, { id, path: ROOT_PATH, raisedAt }) };
  });
}
