import { EXIT_STATUSES, statusOf } from '../../commands/exit/exit-codes.js';
import type { HitlErrorCode } from '../../src/core/index.js';
import { isErrorCode } from '../../src/core/data/errors.js';

/** What each error means, and what to do; a new code does not compile until it is told here. */
export const WORDS: Readonly<Record<HitlErrorCode, readonly [means: string, todo: string]>> = {
  USAGE: [
    'A command line or a call of the library that does not fit',
    'Read the hint; `hitl <command> --help`',
  ],
  BAD_INPUT: ['Text from outside is not what it must be: no UTF-8, no JSON, too large', 'Mend what is sent'],
  BAD_ANSWER: [
    'An answer does not fit its question; nothing was changed',
    'Answer as the message says; `hitl inbox --json` has the schema',
  ],
  NOT_ELIGIBLE: [
    'The question is for other people, or for others than whoever asked for it; nothing was changed',
    'Let one of those answer whom `hitl show` names',
  ],
  BAD_CONFIG: [
    'A configuration, a rule or a variable cannot be read',
    'Mend the line that is named; `hitl config` shows what is in force',
  ],
  BAD_TOOL_MODULE: [
    'A module of tools cannot be loaded, or what it exports are no tools',
    'Run it with `node`; see [writing tools](../guides/writing-tools.md)',
  ],
  BAD_TRANSCRIPT: ['A document to import is no conversation', 'Export it again, or mend what is named'],
  BAD_SCRIPT: ['A file of replies or of answers cannot be read', 'Mend the line that is named'],
  DUPLICATE_TOOL: ['Two tools have one name', 'Rename one, or leave one out'],
  INVALID_RESUME: [
    'What `generate` is given to resume does not fit what is open',
    'Look at `error.detail.problems`, one for each answer',
  ],
  NOTHING_TO_RESUME: ['Nothing is open', 'Give a new prompt instead'],
  OPEN_INTERRUPT: ['A person must answer first', 'Answer, or `hitl resume`'],
  TOOL_NOT_FOUND: [
    'There is no tool of that name, or that of a call which waits to run is not here',
    'Load its module; `hitl tools` lists them. `hitl rewind <id> --to <record>` gives the call up',
  ],
  TOOL_INPUT: ['An input does not fit the schema of its tool', 'Mend the input, or the schema'],
  TOOL_FAILED: ['The body of a tool threw', 'Mend the tool; its message is in the error'],
  TURN_LIMIT: [
    'The model was asked as often as it may',
    'Raise `maxTurns`, or go on with the messages of `error.detail`',
  ],
  ABORTED: ['Somebody stopped it', 'Nothing; what was done is saved'],
  BAD_GRAPH: [
    'A workflow is not sound',
    'Mend every problem of `error.detail.problems`; `hitl graph <file>` checks it',
  ],
  BAD_STATE: [
    'An expression, or a value for the state, does not fit',
    'Mend the expression: [expressions](expressions.md)',
  ],
  MERGE_CONFLICT: [
    'Branches beside each other wrote different values to one key',
    'Give the key a reducer, or say `onConflict`',
  ],
  NODE_FAILED: [
    'The body of a node failed, and nobody caught it',
    'Mend it and `hitl resume`, or `hitl rewind`',
  ],
  NONDETERMINISM: [
    'The code of a workflow does something else than its journal says',
    'Say what counts: `continue`, `answer`, `retry` or `cancel`',
  ],
  DONE_ONCE: [
    'To do a part of a workflow anew would do again what may be done once',
    '`--again`, or `{ again: true }`, where a second time is meant',
  ],
  SESSION_NOT_FOUND: ['No session has that id', '`hitl list`'],
  SESSION_AMBIGUOUS: ['Several sessions begin with these letters', 'Write more of them'],
  SESSION_EXISTS: ['A session of that id is there already', 'Leave the id out, or take another'],
  SESSION_ID: ['That cannot be the id of a session', 'Ids are 16 letters and digits; `hitl list`'],
  SESSION_LOCKED: [
    'Another process has the session',
    'Wait for it; `hitl answer` and `hitl send` work meanwhile',
  ],
  SESSION_BUSY: ['The session is in the middle of something', 'Wait until it rests'],
  SESSION_CLOSED: ['The session was closed in this program', 'Open it again'],
  LOCK_UNAVAILABLE: ['The disk cannot lock files', 'Keep sessions on a local disk: `--sessions`'],
  SESSION_DAMAGED: [
    'A file of the session is not as it was written',
    '`hitl doctor <id>` says what is left and mends what can be',
  ],
  SESSION_NEWER: [
    'A newer version wrote the session, or made the tables of the database',
    'Use that version',
  ],
  SESSION_UNREADABLE: ['The system does not let the session be read', 'Look at its rights'],
  SESSION_UNSAFE: [
    'Others could change the session: a foreign owner, a link, open rights',
    'Look at who did that; `hitl doctor` names it',
  ],
  STORE_UNAVAILABLE: [
    'The store is away: no connection, no room, or a server that may only be read',
    'Try again in a moment; nothing that was confirmed is lost',
  ],
  SAVE_FAILED: [
    'It could not be saved: disk full, read-only, rights',
    'Make room, then `hitl resume`; nothing depends on what is lost',
  ],
  VERSION_CONFLICT: ['Somebody else wrote to the session meanwhile', 'Open it again'],
  ILLEGAL_EVENT: [
    'An event does not follow from what was before',
    '`hitl doctor <id>`; from a program: a bug of the store',
  ],
  ALREADY_ANSWERED: ['The question has its answer', 'Nothing; `hitl why` says whose'],
  INTERRUPT_NOT_FOUND: ['No question of that id is open', '`hitl inbox`'],
  MODEL_FAILED: [
    'The provider failed, after retries',
    '`hitl resume` asks again; `error.detail` has what it said',
  ],
  MODEL_REQUEST: [
    'The provider refuses the request',
    'Read the message: key, size, a feature that the model lacks',
  ],
  MODEL_NOT_FOUND: ['No model has that name', '[Models](../guides/models.md)'],
  BAD_OUTPUT: [
    'The reply does not have the form that `--json-schema`, or `outputSchema` of `generate`, asks for',
    'Ask again; `error.detail.problems` has each place',
  ],
  REPLAY_DIFFERS: ['A recording does not go on as it was recorded', 'Record it again'],
  LIMIT_REACHED: ['A limit was reached and nobody extended it', '`hitl resume`, and `extend`'],
  QUEUE_FULL: ['Too much waits for one session', 'Wait until it was read'],
  INTERNAL: ['A bug in hitl', 'Report it with the message and what you did'],
};

/** The page of exit statuses and of errors by code. */
export function errorsPage(): string {
  const statuses = Object.entries(EXIT_STATUSES).map(([status, meaning]) => `| ${status} | ${meaning} |`);
  const rows = Object.entries(WORDS).map(
    ([code, [means, todo]]) =>
      `| \`${code}\` | ${means} | ${todo} | ${isErrorCode(code) ? statusOf(code) : ''} |`,
  );
  return [
    '# Statuses and errors',
    '',
    'Made from the program by `npm run reference`.',
    '',
    '## Exit statuses',
    '',
    '`hitl help exit-codes` prints them.',
    '',
    '| status | what it means |',
    '| --- | --- |',
    ...statuses,
    '',
    '## Errors by code',
    '',
    'A command says `error:` and `hint:` on stderr, and with `--json` the code too: `{"error":{"code":…,"message":…,"hint":…}}`. The library throws a `HitlError` with `code`, `hint` and `detail`; `isHitlError` tells one.',
    '',
    '| code | what it means | what to do | status |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
