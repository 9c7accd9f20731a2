import { invariant } from '../data/assert.js';
import { HitlError, TOOL_ERROR_CODES } from '../data/errors.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonObject, isJsonArray, membersOf } from '../data/json.js';
import type { Message, Part, ToolRequestPart } from '../data/message.js';
import { toolRequestsOf } from '../data/message.js';
import { messagesProblem } from '../data/message-shape.js';
import type { OpenTurn } from '../state/state.js';
import { TranscriptRefs } from './transcript-view.js';
import type { TranscriptMessage, TranscriptPart } from './transcript.js';
import { newCall } from '../state/call.js';
import { interruptId, ROOT_PATH } from '../data/ids.js';
import type { InterruptDraft, Binding, Interrupt, InterruptKind, ToolSource } from '../data/interrupt.js';
import { INTERRUPT_KINDS } from '../data/interrupt.js';
import { makeInterrupt } from '../question/make-interrupt.js';
import { withMetadata, readPartJson } from './transcript-part.js';
import { readDeadline } from '../question/deadline.js';
import type { Call } from '../state/call.js';
import type { ToolOutcome } from '../state/outcome.js';
import type { InterruptId } from '../data/ids.js';
import { allowedActions } from '../question/offers.js';
import { keptTitle } from './title.js';

/**
 * A history read from Genkit's format: the closed messages, and the last model message if some of its calls
 * are pending.
 */
export interface ReadTranscript {
  /** The complete messages, one for each complete message in the transcript. */
  readonly closed: readonly Message[];
  readonly open?: OpenTurn;
  /** Highest number among the ids of open interrupts. The next id is `i<n + 1>`. */
  readonly interruptCount: number;
}

/** Heading for claims that a file makes about a call. They are shown but have no effect. */
const FILE_SAYS = 'the file says';

const NUMBERED = /^i([1-9][0-9]{0,8})$/;

/** Returns the highest n in the ids `i<n>` of open interrupts; 0 if there are none. */
function highestInterrupt({ calls }: OpenTurn): number {
  const ids = calls.flatMap(({ state }) => (state.status === 'interrupted' ? [state.interrupt.id] : []));
  return highestOf(ids);
}

function highestOf(ids: Iterable<string>): number {
  let highest = 0;
  for (const id of ids) highest = Math.max(highest, Number(NUMBERED.exec(id)?.[1] ?? 0));
  return highest;
}

/** Reads the last model message of a transcript, with its calls in their saved state. */
function readOpenTurn(message: Message, raisedAt: string): OpenTurn {
  const ids = new InterruptIds(toolRequestsOf(message));
  return turnOf(message, (part) => readCall(part, ids, raisedAt));
}

/** Creates an open turn from a message, using `read` to create a call for each tool request. */
function turnOf(message: Message, read: (part: ToolRequestPart) => Call): OpenTurn {
  const calls: Call[] = [];
  const content = message.content.map((part): Part => {
    if (part.type !== 'tool-request') return part;
    const call = read(part);
    calls.push(call);
    return call.request;
  });
  return { message: { ...message, content }, calls };
}

/** Assigns interrupt ids: the one from the transcript if it is unique, otherwise the next free number. */
class InterruptIds {
  readonly #said: Set<string>;
  readonly #taken = new Set<string>();
  #count: number;

  constructor(requests: readonly ToolRequestPart[]) {
    this.#said = new Set(requests.flatMap((request) => idOf(oursOf(request)) ?? []));
    this.#count = highestOf(this.#said);
  }

  of(ours: JsonObject): InterruptId {
    const said = idOf(ours);
    if (said !== undefined && !this.#taken.has(said)) {
      this.#taken.add(said);
      return interruptId(said);
    }
    this.#count += 1;
    return interruptId(`i${this.#count}`);
  }
}

function oursOf({ metadata }: ToolRequestPart): JsonObject {
  return membersOf(metadata?.['hitl']);
}

function idOf({ id }: JsonObject): string | undefined {
  return typeof id === 'string' ? id : undefined;
}

function readCall(part: ToolRequestPart, ids: InterruptIds, raisedAt: string): Call {
  const { pendingOutput, interrupt, hitl: _ours, replacedInput, ...kept } = part.metadata ?? {};
  const { metadata: _metadata, ...bare } = part;
  const request = withMetadata<ToolRequestPart>(bare, kept);
  const ours = oursOf(part);
  const { attempts, notes = [] } = ours;
  const said = isJsonArray(notes) ? notes.filter((note) => typeof note === 'string') : [];
  const call: Call = {
    ...newCall(request),
    ...(replacedInput !== undefined && { originalInput: replacedInput }),
    ...(typeof attempts === 'number' && { attempts }),
    ...(said.length > 0 && { notes: said }),
  };
  if (pendingOutput !== undefined) return parked(call, pendingOutput, ours);
  const asked = interrupt === undefined ? kept['resolvedInterrupt'] : interrupt;
  const draft =
    typeof ours['startedAt'] === 'string' ? doubtDraft(call, ours) : waitingDraft(call, asked, ours);
  const since = typeof ours['raisedAt'] === 'string' ? ours['raisedAt'] : raisedAt;
  const waiting = makeInterrupt(draft, { id: ids.of(ours), path: ROOT_PATH, raisedAt: since });
  return { ...call, state: { status: 'interrupted', interrupt: waiting } };
}

/** Restores a finished call. The call's metadata tells whether a person provided the output. */
function parked(call: Call, pendingOutput: JsonValue, ours: JsonObject): Call {
  const via = ours['via'] === 'respond' ? 'respond' : 'import';
  return { ...call, state: { status: 'settled', outcome: parkedOutcome(pendingOutput, ours), via } };
}

function parkedOutcome(pendingOutput: JsonValue, { error, content, metadata }: JsonObject): ToolOutcome {
  if (error !== undefined) {
    const message = typeof pendingOutput === 'string' ? pendingOutput : JSON.stringify(pendingOutput);
    return { type: 'error', code: TOOL_ERROR_CODES.find((code) => code === error) ?? 'failed', message };
  }
  return {
    type: 'output',
    output: pendingOutput,
    ...(content !== undefined && isJsonArray(content) && { content: content.map(readPartJson) }),
    ...(isJsonObject(metadata) && { metadata }),
  };
}

/**
 * Returns the question about a call whose outcome is unknown because it was running when the transcript was
 * written (law 7).
 */
function doubtDraft(call: Call, { startedAt, pid = null }: JsonObject): InterruptDraft {
  return {
    kind: 'in-doubt',
    source: sourceOf(call, call.input, 'engine'),
    payload: { startedAt: startedAt ?? null, attempt: call.attempts, pid },
  };
}

/**
 * Returns the question about a request without a result. It may be a tool request that was returned to the
 * caller, which has no interrupt.
 */
function waitingDraft(call: Call, payload: JsonValue | undefined, ours: JsonObject): InterruptDraft {
  const { raisedBy, answerSchema, inputSchema, resumeSchema, edit, input } = ours;
  const bound = readBinding(ours['bound']);
  const kind = INTERRUPT_KINDS.find((known) => known === ours['kind']) ?? 'confirmation';
  const by =
    payload === undefined ? 'engine' : raisedBy === 'approval' || raisedBy === 'engine' ? raisedBy : 'tool';
  const source = sourceOf(call, input === undefined ? call.input : input, by);
  const title = keptTitle(ours['title']);
  return {
    kind,
    source: title === undefined ? source : { ...source, title },
    payload: payload === undefined ? true : payload,
    allowed: allowedBy(kind, ours['allowed']),
    ...(isJsonObject(answerSchema) && { answerSchema }),
    ...(isJsonObject(inputSchema) && { inputSchema }),
    ...(isJsonObject(resumeSchema) && { resumeSchema }),
    ...((edit === 'required' || edit === 'refused') && { edit }),
    ...readDeadline(ours),
    ...(bound !== undefined && { bound }),
  };
}

function readBinding(said: JsonValue | undefined): Binding | undefined {
  if (said === undefined || !isJsonObject(said)) return undefined;
  const { run, tool, code } = said;
  if (typeof run !== 'string' || typeof tool !== 'string') return undefined;
  return { run, tool, ...(typeof code === 'string' && { code }) };
}

/** Returns the actions that an interrupt allows. A transcript may restrict them but not add any. */
function allowedBy(kind: InterruptKind, said: JsonValue | undefined): Interrupt['allowed'] {
  const known = allowedActions(kind, { type: 'tool' });
  if (said === undefined || !isJsonArray(said)) return known;
  return said.flatMap((action) => known.find((one) => one === action) ?? []);
}

function sourceOf({ request }: Call, input: JsonValue, raisedBy: ToolSource['raisedBy']): ToolSource {
  const { ref, name } = request;
  return { type: 'tool', ref, name, input, raisedBy };
}

/**
 * Reads the last model message of a file from another program. hitl asks about every open call again and
 * shows its input. Ids, kinds, times, bindings and schemas are set by hitl. Claims in the file are only
 * quoted.
 */
function readForeignTurn(message: Message, raisedAt: string): OpenTurn {
  let count = 0;
  return turnOf(message, (part) => {
    const { pendingOutput, interrupt, replacedInput: _replaced, ...kept } = part.metadata ?? {};
    const { hitl: _ours, resumed: _resumed, ...provider } = kept;
    const { metadata: _metadata, ...bare } = part;
    const request = withMetadata<ToolRequestPart>(bare, provider);
    const ours = oursOf(part);
    if (pendingOutput !== undefined) return parked(newCall(request), pendingOutput, ours);
    count += 1;
    const identity = { id: interruptId(`i${count}`), path: ROOT_PATH, raisedAt };
    const waiting = makeInterrupt(draftOf(request, interrupt, ours), identity);
    return { ...newCall(request), state: { status: 'interrupted', interrupt: waiting } };
  });
}

/**
 * Returns the question about an open call: an in-doubt question if the call was running (law 7), otherwise an
 * approval.
 */
function draftOf(
  { ref, name, input }: ToolRequestPart,
  said: JsonValue | undefined,
  { startedAt }: JsonObject,
): InterruptDraft {
  const source = { type: 'tool', ref, name, input, raisedBy: 'engine' } as const;
  if (startedAt !== undefined) return { kind: 'in-doubt', source, payload: { [FILE_SAYS]: { startedAt } } };
  return { kind: 'confirmation', source, payload: said === undefined ? true : { [FILE_SAYS]: said } };
}

/**
 * Reads messages in Genkit's format without changing them. Requests with missing or repeated refs get new
 * ones. Answers and approvals in a message are ignored: a request is answered only by the next tool message
 * or by a pending result in its metadata. `foreign`: the messages were written by another program, so hitl
 * asks about every open call again.
 * @throws HitlError BAD_TRANSCRIPT for invalid messages.
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

/** Validates the whole history before it is used, because histories come from other programs and browsers. */
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

/** Reads a message part. `place` is used to create a ref for a request without one. */
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

/** Reads the content of a validated tool response. */
export function readContent(content: readonly TranscriptPart[], place: string): readonly Part[] {
  const refs = new TranscriptRefs([]);
  return content.map((part, index) => readPart(part, `${place}-${index}`, refs));
}

function hasError(metadata: JsonObject | undefined): boolean {
  const ours = metadata?.['hitl'];
  return isJsonObject(ours) && ours['error'] !== undefined;
}
