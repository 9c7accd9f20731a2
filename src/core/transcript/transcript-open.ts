import { readDeadline } from '../deadline/index.js';
import type { Call, ToolOutcome } from '../call/index.js';
import { newCall } from '../call/index.js';
import { TOOL_ERROR_CODES } from '../errors.js';
import type { InterruptId } from '../ids.js';
import { interruptId, ROOT_PATH } from '../ids.js';
import type { Binding, Interrupt, InterruptDraft, InterruptKind, ToolSource } from '../interrupt.js';
import { INTERRUPT_KINDS } from '../interrupt.js';
import { makeInterrupt } from '../make-interrupt.js';
import { allowedActions } from '../ways/index.js';
import type { JsonObject, JsonValue } from '../json/index.js';
import { isJsonArray, isJsonObject, membersOf } from '../json/index.js';
import type { Message, Part, ToolRequestPart } from '../message/index.js';
import { toolRequestsOf } from '../message/index.js';
import type { OpenTurn } from '../state.js';
import { keptTitle } from '../title/index.js';
import { readPartJson, withMetadata } from './transcript-part.js';

const NUMBERED = /^i([1-9][0-9]{0,8})$/;

/** The highest n of the open interrupts that are called `i<n>`; 0 where there is none. */
export function highestInterrupt({ calls }: OpenTurn): number {
  const ids = calls.flatMap(({ state }) => (state.status === 'interrupted' ? [state.interrupt.id] : []));
  return highestOf(ids);
}

function highestOf(ids: Iterable<string>): number {
  let highest = 0;
  for (const id of ids) highest = Math.max(highest, Number(NUMBERED.exec(id)?.[1] ?? 0));
  return highest;
}

/** The last model message of a transcript, with its calls as they wait. */
export function readOpenTurn(message: Message, raisedAt: string): OpenTurn {
  const ids = new InterruptIds(toolRequestsOf(message));
  return turnOf(message, (part) => readCall(part, ids, raisedAt));
}

/** An open turn whose calls are read of the requests of a message. */
export function turnOf(message: Message, read: (part: ToolRequestPart) => Call): OpenTurn {
  const calls: Call[] = [];
  const content = message.content.map((part): Part => {
    if (part.type !== 'tool-request') return part;
    const call = read(part);
    calls.push(call);
    return call.request;
  });
  return { message: { ...message, content }, calls };
}

/** The ids that interrupts say they have, each once; the others get the next free number. */
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

export function oursOf({ metadata }: ToolRequestPart): JsonObject {
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
  const { attempts } = ours;
  const call: Call = {
    ...newCall(request),
    ...(replacedInput !== undefined && { originalInput: replacedInput }),
    ...(typeof attempts === 'number' && { attempts }),
  };
  if (pendingOutput !== undefined) return parked(call, pendingOutput, ours);
  const asked = interrupt === undefined ? kept['resolvedInterrupt'] : interrupt;
  const draft =
    typeof ours['startedAt'] === 'string' ? doubtDraft(call, ours) : waitingDraft(call, asked, ours);
  const since = typeof ours['raisedAt'] === 'string' ? ours['raisedAt'] : raisedAt;
  const waiting = makeInterrupt(draft, { id: ids.of(ours), path: ROOT_PATH, raisedAt: since });
  return { ...call, state: { status: 'interrupted', interrupt: waiting } };
}

/** A finished call; where a human gave its output, the mark of that is in its metadata. */
export function parked(call: Call, pendingOutput: JsonValue, ours: JsonObject): Call {
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

/** A call that was running when the transcript was written: nobody knows what it did (law 7). */
function doubtDraft(call: Call, { startedAt, pid = null }: JsonObject): InterruptDraft {
  return {
    kind: 'in-doubt',
    source: sourceOf(call, call.input, 'engine'),
    payload: { startedAt: startedAt ?? null, attempt: call.attempts, pid },
  };
}

/** A request without a result waits for a person, also where no interrupt is noted on it (returned tool requests). */
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

/** A transcript may narrow what answers an interrupt; it cannot widen it. */
function allowedBy(kind: InterruptKind, said: JsonValue | undefined): Interrupt['allowed'] {
  const known = allowedActions(kind, { type: 'tool' });
  if (said === undefined || !isJsonArray(said)) return known;
  return said.flatMap((action) => known.find((one) => one === action) ?? []);
}

function sourceOf({ request }: Call, input: JsonValue, raisedBy: ToolSource['raisedBy']): ToolSource {
  const { ref, name } = request;
  return { type: 'tool', ref, name, input, raisedBy };
}
