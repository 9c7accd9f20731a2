import * as z from 'zod';

import type { JsonObject, SessionEventType, StreamEvent } from '../../src/core/index.js';
import { isJsonObject } from '../../src/core/index.js';
import { streamEventSchema } from '../../src/core/told/schemas.js';
import { definitionOf, sampleOf } from './sample.js';

type OtherType = Exclude<StreamEvent['type'], SessionEventType>;

/** Each event that is kept; a new one does not compile until it is told here. */
export const KEPT: Readonly<Record<SessionEventType, string>> = {
  'session-created': 'The session begins, with the model and the tools that it has.',
  'session-opened': 'A process took the session to write to it. `epoch` counts them.',
  'approvals-voided':
    'What was approved before and has not run does not count: the history came from elsewhere, or part of it is gone (`lost`). `past` names what was taken over.',
  'approvals-kept':
    'A person let the approvals that wait for their start count for changed code: `was`, and `now`.',
  'history-imported': 'The messages that the session was made from.',
  'agent-changed': 'The model, the system prompt or the tools are other ones from here on.',
  'message-added': 'A message of the user, of the model or of the tools is part of the conversation.',
  'context-compacted':
    'The model is told the messages behind `from` and up to `to` in a summary; they stay in the journal.',
  'model-started': 'A request goes to the model.',
  'tool-started': 'A tool is about to run, with exactly this input. It is on disk before the body begins.',
  'tool-settled': 'The outcome of a call.',
  'interrupt-raised': 'A person is asked.',
  'interrupt-resolved': 'The answer, and who gave it; `votes`, where it needed more than one.',
  'vote-cast': 'The word of one person about a question that needs several.',
  'interrupt-escalated':
    'Nobody answered in time; the same is asked of somebody else, and `interrupt` takes its place.',
  'rule-added': 'An approval for the rest of the session.',
  'rule-removed': 'That approval is taken back.',
  'history-rewound': 'The conversation goes on behind its first `keep` messages.',
  'run-ended': 'The model is not asked any more, and why.',
  'graph-started': 'A workflow begins, with its state and its gates.',
  'graph-migrated':
    'A workflow goes on with another definition, by a person who saw the difference, or by a rule where it only adds.',
  'node-entered': 'The workflow comes to a node.',
  'node-started': 'The body of a node begins.',
  'node-settled': 'A node is done, with what it changed in the state.',
  'node-failed': 'The body of a node failed.',
  'step-started': 'A step of a node begins.',
  'step-settled': 'A step of a node is done; it is not run again.',
  'op-started': 'An operation of a workflow as code begins, or is tried again.',
  'op-settled': 'An operation of a workflow as code is done; a replay is given its result.',
  'op-failed': 'An operation of a workflow as code failed, for good or until the time that it names.',
  'edge-failed': 'The condition of an edge could not be evaluated; it counts as no.',
  'conflict-found': 'Branches that ran beside each other wrote different values.',
  rewound:
    'The workflow goes back to just before this visit of a node, or an operation of its code, for which a person may give a value.',
  'run-continued': 'Somebody takes up a workflow that was stopped, failed or cancelled.',
  'inbox-delivered': 'A message from another process reached the run.',
  'inbox-dropped': 'A message never reached the run, and why.',
  'inbox-settled': 'What became of a message that was delivered.',
  'action-chosen': 'A model was asked what a message means.',
};

/** Each line that only a reader of the stream sees. */
export const SHOWN: Readonly<Record<OtherType, string>> = {
  'text-delta': 'A piece of the model’s text; adding them up gives it.',
  'reasoning-delta': 'A piece of its thinking.',
  'tool-input-delta': 'The model writes the input of a call; so many characters so far.',
  'provider-call': 'The provider runs a tool of its own.',
  'provider-result': 'Such a call came back: what it gave in a few words, or why it failed',
  retrying: 'The model is asked again after `waitMs`.',
  compacting: 'So many messages are being summed up.',
  restarted: 'What came of the reply so far does not count: it begins anew.',
  emitted: 'How far the code of a workflow, or a node of one, has come, in its own words.',
  'interrupt-open':
    'A question that was open when a session is gone on with: told once, before anything else, as `interrupt-raised` tells those that come.',
  'tool-progress': 'What a tool says while it runs.',
  notice: 'A word of the program to the person.',
  result: 'The last line: what `--output-format json` prints.',
};

/** The page of every line of `--output-format stream-json`, each with an example that fits the schema. */
export function eventsPage(): string {
  const root = plain(z.toJSONSchema(streamEventSchema, { target: 'draft-2020-12', io: 'input' }));
  return [
    '# Events',
    '',
    'Made from the program by `npm run reference`. `--output-format stream-json` prints one of these a line, and [schemas/stream-event.schema.json](../../schemas/stream-event.schema.json) is their schema. Kept events have `session` and `seq` too, and `scope` where they happened inside a workflow’s node; the examples leave these out, and whatever may be absent. A reader must bear types and members that it does not know.',
    '',
    '## Kept in the journal',
    '',
    ...Object.entries(KEPT).flatMap(([type, words]) =>
      section(type, words, sampleOf(kindOf(root, 'SessionEvent', type), root)),
    ),
    '## Shown, and not kept',
    '',
    ...Object.entries(SHOWN).flatMap(([type, words]) => {
      const transient = kindsOf(root, 'TransientEvent').find((kind) => typeOf(kind) === type);
      const sample = transient === undefined ? undefined : sampleOf(transient, root);
      return section(type, words, sample ?? (type === 'notice' ? { type, text: 'saved' } : undefined));
    }),
  ].join('\n');
}

function section(type: string, words: string, sample: unknown): readonly string[] {
  const told = [`### \`${type}\``, '', words, ''];
  if (sample === undefined) return told;
  const line = { session: '01m7yyykhxnz51r4', seq: 1, ...(isJsonObject(sample) ? sample : {}) };
  streamEventSchema.parse(line); // an example that is none stops here
  return [...told, '```json', JSON.stringify(sample), '```', ''];
}

function kindOf(root: JsonObject, definition: string, type: string): JsonObject {
  const found = kindsOf(root, definition).find((kind) => typeOf(kind) === type);
  if (found === undefined) throw new Error(`${definition} has no ${type}`);
  return found;
}

function kindsOf(root: JsonObject, definition: string): readonly JsonObject[] {
  const { oneOf, anyOf } = definitionOf(root, definition);
  const kinds = oneOf ?? anyOf;
  return Array.isArray(kinds) ? kinds.filter(isJsonObject) : [];
}

function typeOf({ properties }: JsonObject): unknown {
  const type = isJsonObject(properties) ? properties['type'] : undefined;
  return isJsonObject(type) ? type['const'] : undefined;
}

function plain(schema: object): JsonObject {
  const value: unknown = JSON.parse(JSON.stringify(schema));
  if (!isJsonObject(value)) throw new Error('a schema is an object');
  return value;
}
