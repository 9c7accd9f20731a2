import { newCall } from '../call/index.js';
import { interruptId, ROOT_PATH } from '../ids.js';
import type { InterruptDraft } from '../interrupt.js';
import { makeInterrupt } from '../make-interrupt.js';
import type { JsonObject, JsonValue } from '../json/index.js';
import type { Message, ToolRequestPart } from '../message/index.js';
import type { OpenTurn } from '../state.js';
import { oursOf, parked, turnOf } from './transcript-open.js';
import { withMetadata } from './transcript-part.js';

/** The heading over the words of a file: they are not ours, and decide nothing. */
const FILE_SAYS = 'the file says';

/**
 * The last model message of a file from elsewhere. Each call that waits is asked about anew, with the input that it
 * has: ids, kinds, times, bindings and schemas are ours, and what the file says about the question is quoted.
 */
export function readForeignTurn(message: Message, raisedAt: string): OpenTurn {
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
