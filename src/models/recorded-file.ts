import * as z from 'zod';

import type { JsonObject, Message, Part, ReadTranscript, Sequence } from '../core/index.js';
import { AppendList, HitlError, isSendable, readTranscript } from '../core/index.js';
import { transcriptMessageSchema } from '../core/told/schemas.js';
import { readJournal } from './recorded-journal.js';
import type { RecordedModel, RecordedReply, Recording } from './recorded.js';
import { recordedModel } from './recorded.js';

const Transcript = z.object({
  format: z.literal('hitl-transcript'),
  messages: z.array(transcriptMessageSchema),
  agent: z
    .object({
      model: z.string().nullish(),
      system: z.string().nullish(),
      tools: z.array(z.union([z.string(), z.object({ name: z.string() })])).default([]),
    })
    .exactOptional(),
});

/** Metadata that the transcript adds to calls. The model did not write it. */
const ADDED = ['interrupt', 'pendingOutput', 'resolvedInterrupt', 'resumed', 'replacedInput', 'hitl'];

function withoutAdded(metadata: JsonObject | undefined): { readonly metadata?: JsonObject } {
  const kept = Object.entries(metadata ?? {}).filter(([key]) => !ADDED.includes(key));
  return kept.length === 0 ? {} : { metadata: Object.fromEntries(kept) };
}

/**
 * Returns a part as the model wrote it, without the user's edits, because a replay asks the user for them
 * again.
 */
function written(part: Part): Part {
  const { metadata, ...bare } = part;
  const kept = { ...bare, ...withoutAdded(metadata) };
  const replaced = metadata?.['replacedInput'];
  return kept.type === 'tool-request' && replaced !== undefined ? { ...kept, input: replaced } : kept;
}

function replyOf(content: readonly Part[], messages: Sequence<Message>): RecordedReply {
  const hasTools = content.some(({ type }) => type === 'tool-request');
  return { messages, reply: { content, end: hasTools ? 'tool-use' : 'stop' } };
}

function repliesOf({ closed, open }: ReadTranscript): readonly RecordedReply[] {
  const replies: RecordedReply[] = [];
  let before = AppendList.of<Message>();
  for (const message of closed) {
    if (message.role === 'model') replies.push(replyOf(message.content.map(written), before));
    if (isSendable(message)) before = before.append(message);
  }
  if (open === undefined) return replies;
  const original = new Map(open.calls.map(({ request, originalInput }) => [request.ref, originalInput]));
  const content = open.message.content.map((part): Part => {
    const input = part.type === 'tool-request' ? original.get(part.ref) : undefined;
    return part.type === 'tool-request' && input !== undefined ? { ...part, input } : part;
  });
  return [...replies, replyOf(content.map(written), before)];
}

function readDocument(json: unknown, file: string): Recording {
  const parsed = Transcript.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue === undefined ? '' : `: \`${issue.path.map(String).join('.')}\`: ${issue.message}`;
    throw new HitlError('BAD_TRANSCRIPT', `\`${file}\` is not a transcript${where}`, {
      hint: 'a recording is a transcript document or an event journal (JSON Lines)',
      cause: parsed.error,
    });
  }
  const { messages, agent } = parsed.data;
  const replies = repliesOf(readTranscript(messages, new Date(0).toISOString()));
  if (agent === undefined) return { replies };
  const { model, system } = agent;
  return {
    replies,
    agent: {
      tools: agent.tools.map((tool) => (typeof tool === 'string' ? tool : tool.name)),
      ...(typeof model === 'string' && { model }),
      ...(typeof system === 'string' && { system }),
    },
  };
}

/**
 * Parses the text as a single JSON document. Returns `undefined` if it is not one, for example for JSON
 * Lines.
 */
function wholeJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // several lines are not one document
  }
}

/**
 * Reads a saved session: a transcript, or a journal of events as JSON lines.
 * @throws HitlError BAD_TRANSCRIPT with the location.
 */
export function readRecording(text: string, file: string): Recording {
  const json = wholeJson(text);
  const isDocument = z.object({ format: z.string() }).safeParse(json).success;
  const recording = isDocument || text.trim() === '' ? readDocument(json, file) : readJournal(text, file);
  if (recording.replies.length > 0) return recording;
  throw new HitlError('BAD_TRANSCRIPT', `\`${file}\` contains no model reply`, {
    hint: 'record a session first; its folder contains transcript.json and journal.jsonl',
  });
}

/**
 * Creates the model for `replay:<file>`.
 * @throws HitlError BAD_TRANSCRIPT with the location.
 */
export function recordedFileModel(text: string, file: string): RecordedModel {
  return recordedModel(readRecording(text, file), `replay:${file}`);
}
