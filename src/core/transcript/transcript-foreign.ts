import type { Call } from '../call/index.js';
import { newCall } from '../call/index.js';
import { interruptId, ROOT_PATH } from '../ids.js';
import type { InterruptDraft } from '../interrupt.js';
import { makeInterrupt } from '../make-interrupt.js';
import type { JsonObject, JsonValue } from '../json/index.js';
import type { Message, Part, ToolRequestPart } from '../message/index.js';
import type { OpenTurn } from '../state.js';
import { oursOf, parked } from './transcript-open.js';

/** The heading over the words of a file: they are not ours, and decide nothing. */
const FILE_SAYS = 'the file says';

/**
 * The last model message of a file from elsewhere. Each call that waits is asked about anew, with the input that it
 * has: ids, kinds, times, bindings and schemas are ours, and what the file says about the question is quoted.
 */
export function readForeignTurn(message: Message, raisedAt: string): OpenTurn {
  const calls: Call[] = [];
  let count = 0;
  const content = message.content.map((part): Part => {
    if (part.type !== 'tool-request') return part;
    const { pendingOutput, interrupt, replacedInput: _replaced, ...kept } = part.metadata ?? {};
    const { hitl: _ours, resumed: _resumed, ...provider } = kept;
    const { metadata: _metadata, ...bare } = part;
    const request = Object.keys(provider).length === 0 ? bare : { ...bare, metadata: provider };
    const ours = oursOf(part);
    if (pendingOutput !== undefined) {
      calls.push(parked(newCall(request), pendingOutput, ours));
      return request;
    }
    count += 1;
    const identity = { id: interruptId(`i${count}`), path: ROOT_PATH, raisedAt };
    const waiting = makeInterrupt(draftOf(request, interrupt, ours), identity);
    calls.push({ ...newCall(request), state: { status: 'interrupted', interrupt: waiting } });
    return request;
  });
  return { message: { ...message, content }, calls };
}

/** A call that the file says was running is in doubt (law 7); every other one has to be agreed to. */
function draftOf(
  { ref, name, input }: ToolRequestPart,
  said: JsonValue | undefined,
  { startedAt }: JsonObject,
): InterruptDraft {
  const source = { type: 'tool', ref, name, input, raisedBy: 'engine' } as const;
  if (startedAt !== undefined) return { kind: 'in-doubt', source, payload: { [FILE_SAYS]: { startedAt } } };
  return { kind: 'confirmation', source, payload: said === undefined ? true : { [FILE_SAYS]: said } };
}
