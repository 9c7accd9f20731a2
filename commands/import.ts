import { resolve } from 'node:path';
import type { Message, OpenTurn, SessionEvent, TranscriptMessage } from '../src/core/index.js';
import {
  checkMessages,
  HitlError,
  isoTime,
  MAX_DEPTH,
  parseStrictJson,
  readTranscript,
  shown,
} from '../src/core/index.js';
import { transcriptDocumentSchema, transcriptMessageSchema } from '../src/core/told/schemas.js';
import * as z from 'zod';
import { LARGEST_ENTRY, tooLarge } from './input/size-limits.js';
import { namedText } from './input/named-text.js';
import { readAll } from './input/first-text.js';
import type { Io } from './host/index.js';
import type { SessionFlags } from './flags/options.js';
import { printJson, tell, requesterHere } from './host/index.js';
import { openStore } from './store/store.js';
import { UNCHOSEN_MODEL } from './agent/agent.js';

/** Number of nesting levels that a transcript adds around its most deeply nested value. */
const AROUND_VALUES = 16;

/**
 * `hitl import`: creates a session from a transcript document, or from a plain list of messages in Genkit's
 * format.
 */
export async function importSession(io: Io, file: string, flags: SessionFlags): Promise<number> {
  const text =
    file === '-'
      ? await readAll(io)
      : await namedText(resolve(io.cwd, file), `\`${file}\``, { hint: 'check the path; - reads stdin' });
  const { messages, title } = readDocument(text, file);
  const { closed, open } = readTranscript(messages, isoTime(io.clock.now()), 'foreign');
  const problems = checkMessages(closed);
  if (problems.length > 0) {
    throw bad(file, problems.map(({ message }) => message).join('; '));
  }
  // The history is one record, and the open turn another.
  const bytes = [JSON.stringify(closed), JSON.stringify(open ?? null)]
    .map(tooLarge)
    .find((one) => one !== undefined);
  if (bytes !== undefined)
    throw bad(file, `its history is too large: ${bytes} bytes (maximum ${LARGEST_ENTRY})`);
  const store = openStore(io, flags);
  // Who it talks to is chosen when it is resumed: a file from elsewhere names no model, no module and no approval.
  const parent = { kind: 'import' } as const;
  await using session = await store.create({
    agent: { model: UNCHOSEN_MODEL, tools: [] },
    cwd: io.cwd,
    parent,
    by: requesterHere(),
    ...(title !== undefined && { title }),
    events: [...historyOf(closed), ...(open === undefined ? [] : openEvents(open))],
  });
  if (flags.json === true) printJson(io, { session: session.id }, 'line');
  else io.stdout.write(shown`${session.id}\n`);
  if (flags.quiet !== true) tell(io.stderr, shown`hint: hitl resume ${session.id}`);
  return 0;
}

function bad(file: string, why: string): HitlError {
  return new HitlError('BAD_TRANSCRIPT', `\`${file}\` is not a transcript: ${why}`, {
    hint: 'hitl import reads the output of hitl export, or a list of messages in Genkit format; no session was created',
  });
}

interface ReadDocument {
  readonly messages: readonly TranscriptMessage[];
  readonly title?: string;
}

function readDocument(text: string, file: string): ReadDocument {
  const json = parseStrictJson(text.trim(), MAX_DEPTH + AROUND_VALUES);
  if (!json.ok) throw bad(file, json.message);
  if (Array.isArray(json.value)) {
    const list = transcriptMessageSchema.array().safeParse(json.value);
    if (!list.success) throw bad(file, z.prettifyError(list.error));
    return { messages: list.data };
  }
  const document = transcriptDocumentSchema.safeParse(json.value);
  if (!document.success) throw bad(file, z.prettifyError(document.error));
  return { messages: document.data.messages, title: document.data.title };
}

function historyOf(messages: readonly Message[]): readonly SessionEvent[] {
  return messages.length === 0 ? [] : [{ type: 'history-imported', messages }];
}

/**
 * Returns the events that restore the last model message. Finished calls stay finished; the others are
 * reopened.
 */
function openEvents({ message, calls }: OpenTurn): readonly SessionEvent[] {
  const events: SessionEvent[] = [{ type: 'message-added', message }];
  for (const { request, state } of calls) {
    if (state.status === 'settled')
      events.push({ type: 'tool-settled', ref: request.ref, outcome: state.outcome });
    if (state.status === 'interrupted') events.push({ type: 'interrupt-raised', interrupt: state.interrupt });
  }
  return events;
}
