import { invariant } from '../assert.js';
import { HitlError } from '../errors.js';
import type { JsonObject } from '../json/index.js';
import { isJsonObject } from '../json/index.js';
import type { Message, Part } from '../message/index.js';
import { toolRequestsOf } from '../message/index.js';
import { messagesProblem } from '../shape/index.js';
import type { OpenTurn } from '../state.js';
import { highestInterrupt, readOpenTurn } from './transcript-open.js';
import { readForeignTurn } from './transcript-foreign.js';
import { TranscriptRefs } from './transcript-refs.js';
import type { TranscriptMessage, TranscriptPart } from './transcript.js';

/** A history in Genkit's shape, read: what is closed, and the last model message where its calls wait. */
export interface ReadTranscript {
  /** One for each message of the transcript that is not open. */
  readonly closed: readonly Message[];
  readonly open?: OpenTurn;
  /** The highest number of an open interrupt: the next one is `i<n + 1>`. */
  readonly interruptCount: number;
}

/**
 * Reads messages in Genkit's shape; never changes them. Each request gets a ref of its own where a provider left
 * refs out or used one twice. Answers and approvals that a message claims are not taken over: a request is answered
 * only by the tool message after it, or by a result that is parked on it.
 * `foreign`: what another program wrote, whose words about questions have no vote.
 * @throws HitlError BAD_TRANSCRIPT where they are not messages, whatever they are instead.
 */
export function readTranscript(
  messages: readonly TranscriptMessage[],
  raisedAt: string,
  from: 'own' | 'foreign' = 'own',
): ReadTranscript {
  checkForm(messages);
  const last = messages.at(-1);
  const openRefs = last?.role === 'model' ? refsOf(last) : [];
  const refs = new TranscriptRefs(openRefs);
  const read = messages.map((message, index) => {
    refs.nextMessage(index === messages.length - 1);
    return readMessage(message, index, refs);
  });
  const open = read.at(-1);
  if (open?.role !== 'model' || toolRequestsOf(open).length === 0) return { closed: read, interruptCount: 0 };
  const turn = from === 'own' ? readOpenTurn(open, raisedAt) : readForeignTurn(open, raisedAt);
  return { closed: read.slice(0, -1), open: turn, interruptCount: highestInterrupt(turn) };
}

/** Programs and browsers hand histories over: all of one is looked at before anything is made of it. */
function checkForm(messages: readonly TranscriptMessage[]): void {
  const problem = messagesProblem(messages);
  if (problem === undefined) return;
  throw new HitlError('BAD_TRANSCRIPT', `invalid messages: ${problem}`, {
    hint: 'a message is {"role":"user","content":[{"text":"hello"}]}; the roles are system, user, model and tool',
  });
}

function refsOf({ content }: TranscriptMessage): readonly string[] {
  return content.flatMap(({ toolRequest }) =>
    toolRequest?.ref === undefined || toolRequest.ref === '' ? [] : [toolRequest.ref],
  );
}

function readMessage(
  { role, content, metadata }: TranscriptMessage,
  index: number,
  refs: TranscriptRefs,
): Message {
  const parts = content.map((part, place) => readPart(part, `${index}-${place}`, refs));
  return { role, content: parts, ...(metadata && { metadata }) };
}

/** `place` makes a ref where a request has none. */
function readPart(part: TranscriptPart, place: string, refs: TranscriptRefs): Part {
  const metadata = part.metadata === undefined ? {} : { metadata: part.metadata };
  if (part.text !== undefined) return { type: 'text', text: part.text, ...metadata };
  if (part.reasoning !== undefined) return { type: 'reasoning', text: part.reasoning, ...metadata };
  if (part.media !== undefined) return { type: 'media', ...part.media, ...metadata };
  if (part.data !== undefined) return { type: 'data', data: part.data, ...metadata };
  if (part.toolRequest !== undefined) {
    const { name, ref, input = {} } = part.toolRequest;
    return { type: 'tool-request', ref: refs.ofRequest(name, ref, place), name, input, ...metadata };
  }
  const { toolResponse } = part;
  invariant(toolResponse !== undefined, `part ${place} has one of the known kinds`);
  const { name, ref, output = null, content } = toolResponse;
  return {
    type: 'tool-response',
    ref: refs.ofResponse(name, ref),
    name,
    output,
    ...(hasError(part.metadata) && { isError: true }),
    ...(content && { content: readContent(content, place) }),
    ...metadata,
  };
}

/** Reads the content of a tool response, whose form was looked at. */
export function readContent(content: readonly TranscriptPart[], place: string): readonly Part[] {
  const refs = new TranscriptRefs([]);
  return content.map((part, index) => readPart(part, `${place}-${index}`, refs));
}

function hasError(metadata: JsonObject | undefined): boolean {
  const ours = metadata?.['hitl'];
  return isJsonObject(ours) && ours['error'] !== undefined;
}
