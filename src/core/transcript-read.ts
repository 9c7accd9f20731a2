import type { Call } from './call.js';
import { newCall } from './call.js';
import { HitlError } from './errors.js';
import { interruptId, ROOT_PATH, toolRef } from './ids.js';
import type { Interrupt, InterruptKind } from './interrupt.js';
import { makeInterrupt } from './interrupt.js';
import type { JsonObject, JsonValue } from './json.js';
import { isJsonArray, isJsonObject } from './json.js';
import type { Message } from './message.js';
import { toolRequestsOf } from './message.js';
import type { Part, ToolRequestPart } from './part.js';
import type { OpenTurn } from './state.js';
import type { TranscriptMessage, TranscriptPart } from './transcript.js';

/** A history in Genkit's shape, read: what is closed, and the last model message where its calls wait. */
export interface ReadTranscript {
  readonly closed: readonly Message[];
  readonly open?: OpenTurn;
}

const KINDS: readonly InterruptKind[] = [
  'question',
  'confirmation',
  'gate',
  'pause',
  'error',
  'in-doubt',
  'limit',
];

/**
 * Reads messages in Genkit's shape; never changes them. Refs that are missing get one by position, so that two calls
 * of one tool are told apart. Answers and approvals that a message claims are not taken over: a request is answered
 * only by the tool message after it.
 * @throws HitlError BAD_TRANSCRIPT where a part has no kind.
 */
export function readTranscript(messages: readonly TranscriptMessage[], raisedAt: string): ReadTranscript {
  const read: Message[] = [];
  messages.forEach((message, index) => {
    read.push(readMessage(message, index, read.at(-1)));
  });
  const last = read.at(-1);
  const source = messages.at(-1);
  if (last?.role !== 'model' || source === undefined || toolRequestsOf(last).length === 0)
    return { closed: read };
  return { closed: read.slice(0, -1), open: readOpenTurn(last, raisedAt) };
}

function readMessage(message: TranscriptMessage, index: number, before: Message | undefined): Message {
  const requests = before === undefined ? [] : toolRequestsOf(before);
  const taken = new Set<string>();
  const content = message.content.map((part, place) => readPart(part, `${index}-${place}`, requests, taken));
  return { role: message.role, content, ...(message.metadata && { metadata: message.metadata }) };
}

function readPart(
  part: TranscriptPart,
  place: string,
  requests: readonly ToolRequestPart[],
  taken: Set<string>,
): Part {
  const metadata = part.metadata === undefined ? {} : { metadata: part.metadata };
  if (part.text !== undefined) return { type: 'text', text: part.text, ...metadata };
  if (part.reasoning !== undefined) return { type: 'reasoning', text: part.reasoning, ...metadata };
  if (part.media !== undefined) return { type: 'media', ...part.media, ...metadata };
  if (part.data !== undefined) return { type: 'data', data: part.data, ...metadata };
  if (part.toolRequest !== undefined) {
    const { name, ref, input } = part.toolRequest;
    const known = ref === undefined || ref === '' ? `call-${place}` : ref;
    return { type: 'tool-request', ref: toolRef(known), name, input: input ?? {}, ...metadata };
  }
  if (part.toolResponse !== undefined) {
    const { name, ref, output, content } = part.toolResponse;
    const known = ref === undefined || ref === '' ? refFor(name, requests, taken) : ref;
    taken.add(known);
    const failed = errorCode(part.metadata) === undefined ? {} : { isError: true };
    const parts = content?.map((inner, index) => readPart(inner, `${place}-${index}`, [], taken));
    return {
      type: 'tool-response',
      ref: toolRef(known),
      name,
      output: output ?? null,
      ...failed,
      ...(parts && { content: parts }),
      ...metadata,
    };
  }
  throw new HitlError('BAD_TRANSCRIPT', `part ${place} of the transcript has none of the known kinds`, {
    hint: 'a part has one of: text, reasoning, media, data, toolRequest, toolResponse',
  });
}

function refFor(name: string, requests: readonly ToolRequestPart[], taken: ReadonlySet<string>): string {
  return requests.find((request) => request.name === name && !taken.has(request.ref))?.ref ?? name;
}

function errorCode(metadata: JsonObject | undefined): JsonValue | undefined {
  const ours = metadata?.['hitl'];
  return isJsonObject(ours) ? ours['error'] : undefined;
}

function readOpenTurn(message: Message, raisedAt: string): OpenTurn {
  let count = 0;
  const calls: Call[] = [];
  const content = message.content.map((part): Part => {
    if (part.type !== 'tool-request') return part;
    const { pendingOutput, interrupt, hitl, replacedInput, ...kept } = part.metadata ?? {};
    const { metadata: _metadata, ...bare } = part;
    const request: ToolRequestPart = Object.keys(kept).length === 0 ? bare : { ...bare, metadata: kept };
    const ours = isJsonObject(hitl) ? hitl : {};
    const call: Call = {
      ...newCall(request),
      ...(replacedInput !== undefined && { originalInput: replacedInput }),
    };
    if (pendingOutput !== undefined) calls.push(parked(call, pendingOutput, ours));
    else {
      count += 1;
      calls.push(waiting(call, interrupt, ours, { count, raisedAt }));
    }
    return request;
  });
  return { message: { ...message, content }, calls };
}

function parked(call: Call, pendingOutput: JsonValue, ours: JsonObject): Call {
  const { error, content, metadata } = ours;
  if (typeof error === 'string') {
    const message = typeof pendingOutput === 'string' ? pendingOutput : JSON.stringify(pendingOutput);
    return {
      ...call,
      state: { status: 'settled', outcome: { type: 'error', code: 'failed', message }, via: 'import' },
    };
  }
  const parts = content !== undefined && isJsonArray(content) ? content.map(contentPart) : undefined;
  const outcome = {
    type: 'output',
    output: pendingOutput,
    ...(parts && { content: parts }),
    ...(isJsonObject(metadata) && { metadata }),
  } as const;
  return { ...call, state: { status: 'settled', outcome, via: 'import' } };
}

function contentPart(value: JsonValue, index: number): Part {
  if (!isJsonObject(value)) return { type: 'data', data: value };
  const { text, media, data } = value;
  if (typeof text === 'string') return { type: 'text', text };
  if (isJsonObject(media) && typeof media['url'] === 'string') {
    const { contentType } = media;
    return { type: 'media', url: media['url'], ...(typeof contentType === 'string' && { contentType }) };
  }
  return { type: 'data', data: data ?? { index } };
}

/** A request without a result waits for a person, also where no interrupt is noted on it (returned tool requests). */
function waiting(
  call: Call,
  payload: JsonValue | undefined,
  ours: JsonObject,
  { count, raisedAt }: { readonly count: number; readonly raisedAt: string },
): Call {
  const { ref, name } = call.request;
  const { id, kind, raisedBy, answerSchema } = ours;
  const known = KINDS.find((candidate) => candidate === kind) ?? 'confirmation';
  const origin =
    payload === undefined ? 'engine' : raisedBy === 'approval' || raisedBy === 'engine' ? raisedBy : 'tool';
  const interrupt: Interrupt = makeInterrupt(
    {
      kind: known,
      source: { type: 'tool', ref, name, input: call.input, raisedBy: origin },
      payload: payload ?? true,
      ...(isJsonObject(answerSchema) && { answerSchema }),
    },
    { id: interruptId(typeof id === 'string' ? id : `i${count}`), path: ROOT_PATH, raisedAt },
  );
  return { ...call, state: { status: 'interrupted', interrupt } };
}
