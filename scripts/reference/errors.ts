import { EXIT_STATUSES, statusOf } from '../../commands/exit/exit-codes.js';
import type { HitlErrorCode } from '../../src/core/index.js';
import { isErrorCode } from '../../src/core/data/errors.js';

/** What each error means, and what to do; a new code does not compile without an entry. */
export const WORDS: Readonly<Record<HitlErrorCode, readonly [means: string, todo: string]>> = {
  USAGE: ['Invalid command line or library call', 'Read the hint or `hitl <command> --help`'],
  BAD_INPUT: ['Invalid input: not UTF-8, not JSON, too large', 'Fix the input'],
  BAD_ANSWER: [
    'The answer is not valid for its question; nothing changed',
    'Follow the message; `hitl inbox --json` has the schema',
  ],
  NOT_ELIGIBLE: [
    'The question needs another approver, or not the requester; nothing changed',
    '`hitl show` names the approvers',
  ],
  BAD_CONFIG: [
    'Invalid configuration, rule or variable',
    'Fix the named line; `hitl config` shows the settings in force',
  ],
  BAD_TOOL_MODULE: [
    'A tool module cannot be loaded, or its exports are not tools',
    'Run it with `node`; see [writing tools](../guides/writing-tools.md)',
  ],
  BAD_TRANSCRIPT: ['An imported document is not a valid conversation', 'Export it again, or fix it'],
  BAD_SCRIPT: ['Invalid file of replies or answers', 'Fix the named line'],
  DUPLICATE_TOOL: ['Two tools have the same name', 'Rename or remove one'],
  INVALID_RESUME: ['`resume` of `generate` does not match the open questions', 'See `error.detail.problems`'],
  NOTHING_TO_RESUME: ['No open questions', 'Pass a new prompt instead'],
  OPEN_INTERRUPT: ['A person must answer first', 'Answer, or `hitl resume`'],
  TOOL_NOT_FOUND: [
    'The tool does not exist, or the tool of a waiting call is not loaded',
    'Load its module; `hitl tools` lists them. `hitl rewind <id> --to <record>` drops the call',
  ],
  TOOL_INPUT: ['An input does not match its tool’s schema', 'Fix the input or the schema'],
  TOOL_FAILED: ['A tool’s body threw', 'Fix the tool; the error has its message'],
  TURN_LIMIT: [
    'The round limit was reached',
    'Raise `maxTurns`, or continue with the messages in `error.detail`',
  ],
  ABORTED: ['It was stopped', 'Nothing; completed work is saved'],
  BAD_GRAPH: ['Invalid workflow', 'Fix `error.detail.problems`; check with `hitl graph <file>`'],
  BAD_STATE: ['Invalid expression or state value', 'Fix it: [expressions](expressions.md)'],
  MERGE_CONFLICT: [
    'Parallel branches wrote different values to one key',
    'Add a reducer, or set `onConflict`',
  ],
  NODE_FAILED: ['A node failed', 'Fix it and run `hitl resume`, or `hitl rewind`'],
  NONDETERMINISM: [
    'A workflow’s code does not match its journal',
    'Decide: `continue`, `answer`, `retry` or `cancel`',
  ],
  DONE_ONCE: [
    'Rerunning would repeat effects that may happen only once',
    'Pass `--again` or `{ again: true }` to repeat them',
  ],
  SESSION_NOT_FOUND: ['No session has that id', '`hitl list`'],
  SESSION_AMBIGUOUS: ['The id prefix is not unique', 'Type more of it'],
  SESSION_EXISTS: ['The session id already exists', 'Omit it, or choose another'],
  SESSION_ID: ['Invalid session id', 'Ids are 16 letters and digits; `hitl list`'],
  SESSION_LOCKED: ['Another process has the session', 'Wait; `hitl answer` and `hitl send` still work'],
  SESSION_BUSY: ['The session is busy', 'Await the previous call'],
  SESSION_CLOSED: ['The session was closed in this program', 'Open it again'],
  LOCK_UNAVAILABLE: [
    'Sessions cannot be locked: no `flock(1)` or perl, or a file system without locks',
    'Install util-linux or perl, and keep sessions on a local disk (`--sessions`) or in PostgreSQL',
  ],
  SESSION_DAMAGED: ['A session file is damaged', '`hitl doctor <id>` checks and repairs it'],
  SESSION_NEWER: ['A newer version wrote the session or the database tables', 'Use that version'],
  SESSION_UNREADABLE: ['The session cannot be read', 'Check its permissions'],
  SESSION_UNSAFE: [
    'Others could change the session: foreign owner, link, open permissions',
    '`hitl doctor` names the cause',
  ],
  STORE_UNAVAILABLE: [
    'The store is unavailable: no connection, full, or read-only',
    'Retry; nothing confirmed is lost',
  ],
  SAVE_FAILED: [
    'Saving failed: disk full, read-only, permissions',
    'Free space, then `hitl resume`; nothing depends on the lost data',
  ],
  VERSION_CONFLICT: ['Another process wrote to the session', 'Open it again'],
  ILLEGAL_EVENT: [
    'An event is not valid after the events before it',
    '`hitl doctor <id>`; in a program, a bug in the store',
  ],
  ALREADY_ANSWERED: ['The question was already answered', '`hitl why` shows by whom'],
  INTERRUPT_NOT_FOUND: ['No open question has that id', '`hitl inbox`'],
  MODEL_FAILED: ['The provider failed, after retries', '`hitl resume` tries again; see `error.detail`'],
  MODEL_REQUEST: ['The provider refuses the request', 'Read the message: key, size, an unsupported feature'],
  MODEL_NOT_FOUND: ['No model has that name', '[Models](../guides/models.md)'],
  BAD_OUTPUT: [
    'The reply does not match `--json-schema` or `outputSchema`',
    'Try again; see `error.detail.problems`',
  ],
  REPLAY_DIFFERS: ['A run differs from its recording', 'Record it again'],
  LIMIT_REACHED: ['A limit was reached and nobody extended it', '`hitl resume`, and `extend`'],
  QUEUE_FULL: [
    'The session’s queue is full, or a program has too many open questions',
    'Wait until the run has read it, or people have answered',
  ],
  INTERNAL: ['A bug in hitl', 'Report it with the message and the steps'],
};

/** Returns the page of exit statuses and error codes. */
export function errorsPage(): string {
  const statuses = Object.entries(EXIT_STATUSES).map(([status, meaning]) => `| ${status} | ${meaning} |`);
  const rows = Object.entries(WORDS).map(
    ([code, [means, todo]]) =>
      `| \`${code}\` | ${means} | ${todo} | ${isErrorCode(code) ? statusOf(code) : ''} |`,
  );
  return [
    '# Statuses and errors',
    '',
    'Generated by `npm run reference`.',
    '',
    '## Exit statuses',
    '',
    '| status | meaning |',
    '| --- | --- |',
    ...statuses,
    '',
    '## Errors by code',
    '',
    'Commands print `error:` and `hint:` to stderr, and with `--json` `{"error":{"code":…,"message":…,"hint":…}}`. The library throws `HitlError` with `code`, `hint` and `detail`; check with `isHitlError`.',
    '',
    '| code | meaning | what to do | status |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}
