// What is removed by age, what another process took, and what another run begins with.

import { mutant } from '../mutant.mjs';

const prune = 'test/sessions/prune.test.ts';
const store = 'test/contracts/session-store.test.ts';
const lost = 'test/postgres/lost-session.test.ts';
const lostRun = 'test/library/lost-session.test.ts';
const start = 'test/commands/flow-start.test.ts';

function pruning(name, search, replacement) {
  return mutant(name, 'sessions/prune-sessions.ts', [[search, replacement]], prune);
}

const pruned = [
  pruning('a session that is being written is removed', "if (status === 'running') return 'in-use';", ''),
  mutant(
    'a session in which somebody is asked is removed',
    'sessions/prune-sessions.ts',
    [
      ["if (waiting > 0) return 'asked';", ''],
      ["if (openInterrupts(session.state).length > 0) return 'asked';", ''],
    ],
    prune,
  ),
  pruning('a session that waits for a moment is removed', "if (until !== undefined) return 'timed';", ''),
  pruning('a session in doubt is removed', "if (hasBegun(session.state)) return 'in-doubt';", ''),
  pruning(
    'a session with a call that began is removed',
    "if (open?.calls.some(({ state: { status } }) => status === 'started') === true) return true;",
    '',
  ),
  pruning(
    'a session with a node that began is removed',
    "return status === 'started' || status === 'waiting' || status === 'answered';",
    'return false;',
  ),
  pruning(
    'a session with messages is removed',
    "return total > 0 ? 'mail' : undefined;",
    'return undefined;',
  ),
  pruning(
    'a session that was written since it was looked at is removed',
    '{ unchangedSince: updatedAt }',
    '{}',
  ),
  pruning(
    'a session whose journal has a notice is removed',
    "if (session.notices.length > 0) return 'unreadable';",
    '',
  ),
  mutant(
    'the store on disk removes what was written meanwhile',
    'sessions/opening/remove-session.ts',
    [['if (openToRead(context, id).updatedAt !== unchangedSince) throw changedSince(id);', '']],
    store,
  ),
];

const taken = [
  mutant(
    'a session whose lease is lost is ended as if a person had stopped it',
    'sessions/postgres/postgres-session.ts',
    [['this.#lost.abort(suspending(why));', 'this.#lost.abort(why);']],
    lost,
  ),
  mutant(
    'a session that another one wrote is ended as if a person had stopped it',
    'sessions/postgres/postgres-session.ts',
    [['this.#lost.abort(suspending(thrown));', 'this.#lost.abort(thrown);']],
    lost,
  ),
  mutant(
    'a writer goes on that another one took the place of',
    'sessions/postgres/postgres-session.ts',
    [["if (isHitlError(thrown) && thrown.code === 'VERSION_CONFLICT') this.#lost", 'if (false) this.#lost']],
    lost,
  ),
  mutant(
    'what could not be written stays in the fold',
    'sessions/postgres/postgres-session.ts',
    [['      this.#appended = this.#durable;\n      if', '      if']],
    lost,
  ),
  mutant(
    'a batch that was not written counts',
    'sessions/postgres/append.ts',
    [['throw conflict(place.id);', 'return;']],
    lost,
  ),
  mutant(
    'a connection that is lost while it writes decides that nothing was written',
    'sessions/postgres/append.ts',
    [['isHitlError(thrown) || !isUndecided(thrown)', 'true']],
    lost,
  ),
  mutant(
    'what was written before the connection was lost is not recognised',
    'sessions/postgres/append.ts',
    [['(await isThere(database, place, batch.to))', 'false']],
    lost,
  ),
  mutant(
    'a lease that could not be renewed for its time is kept',
    'sessions/postgres/presence.ts',
    [["if (sent - held.renewed >= LEASE_MS) this.#drop(held, 'the database does not answer'); // L4", '{}']],
    lost,
  ),
  mutant(
    'a worker whose looks come to no end goes on',
    'sessions/run-worker.ts',
    [['if (this.#beats > MOST_BEATS)', 'if (Number.isNaN(this.#beats))']],
    'test/sessions/worker.test.ts',
  ),
  mutant(
    'an answer whose like is under way is told as decided by somebody else',
    'sessions/inbox/post-answer.ts',
    [['if (type === undefined) checkAnswer(state, answer);', 'checkAnswer(state, answer);']],
    'test/sessions/inbox/post-answer.test.ts',
  ),
  mutant(
    'whoever records an answer leaves what others left unread',
    'sessions/inbox/post-answer.ts',
    [['let seen = await takeLeft(place, first);', 'let seen = Infinity;']],
    store,
  ),
  mutant(
    'a lease that somebody else has is kept',
    'sessions/postgres/presence.ts',
    [["else this.#drop(held, 'somebody else has it');", '']],
    lost,
  ),
  mutant(
    'a suspension is none',
    'src/core/stopping/suspension.ts',
    [['return Object.defineProperty(reason, BRAND, { value: true });', 'return reason;']],
    lostRun,
  ),
];

const another = [
  mutant(
    'a run that is not over is run again',
    'commands/input/flow-start.ts',
    [['if (state.ended === undefined)', 'if (false)']],
    start,
  ),
  mutant(
    'another run begins without the gates of the first',
    'commands/input/flow-start.ts',
    [['    ...earlier,\n', '']],
    start,
  ),
  mutant(
    'what the first run was given counts before what is said anew',
    'commands/input/flow-start.ts',
    [['{ ...earlier?.set, ...set, ', '{ ...set, ...earlier?.set, ']],
    start,
  ),
  mutant(
    'a gate that somebody added later does not stay',
    'src/repl/back/start-of.ts',
    [["} else if (event.type === 'graph-migrated') start = { ...start, ...gatesOf(event) };", '}']],
    'test/repl/start-of.test.ts',
  ),
];

export const keeping = [...pruned, ...taken, ...another];
