import type { Call, SettledVia, ToolOutcome } from '../call/index.js';
import { deadlineJson } from '../deadline/index.js';
import type { Interrupt } from '../interrupt.js';
import type { JsonObject, JsonValue } from '../json/index.js';
import { jsonEquals } from '../json/index.js';
import { partJson } from './transcript-part.js';

/** An interrupt that Genkit knows: one that the tool or the approval in front of it raised. */
function genkitInterrupt(call: Call): JsonValue | undefined {
  const interrupt = call.resolved?.interrupt;
  if (interrupt?.source.type !== 'tool' || interrupt.source.raisedBy === 'engine') return undefined;
  return interrupt.payload;
}

/** Gives the past of a call: the question that was answered, the input that was replaced. */
export function pastMetadata(call: Call): JsonObject {
  const interrupt = genkitInterrupt(call);
  return {
    ...(interrupt !== undefined && { resolvedInterrupt: interrupt }),
    ...(call.originalInput !== undefined && { replacedInput: call.originalInput }),
  };
}

/** Says how a call of an open turn stands. */
export function openMetadata(call: Call): JsonObject {
  const { state } = call;
  switch (state.status) {
    case 'ready':
      return pastMetadata(call);
    case 'started':
      return { ...pastMetadata(call), hitl: { startedAt: state.startedAt, attempts: call.attempts } };
    case 'interrupted': {
      const { resolvedInterrupt: _answered, ...past } = pastMetadata(call);
      return { ...past, interrupt: state.interrupt.payload, hitl: waitingMetadata(call, state.interrupt) };
    }
    case 'settled':
      return { ...pastMetadata(call), ...parkedMetadata(call, state.outcome, state.via) };
  }
}

/** Everything of an interrupt that Genkit has no word for; `readTranscript` makes the same interrupt of it. */
function waitingMetadata(call: Call, interrupt: Interrupt): JsonObject {
  const {
    id,
    kind,
    digest,
    allowed,
    raisedAt,
    answerSchema,
    inputSchema,
    resumeSchema,
    edit,
    source,
    bound,
  } = interrupt;
  const { raisedBy, input } = source.type === 'tool' ? source : { raisedBy: 'engine', input: call.input };
  return {
    id,
    kind,
    digest,
    raisedBy,
    allowed,
    raisedAt,
    ...deadlineJson(interrupt),
    ...(answerSchema !== undefined && { answerSchema }),
    ...(inputSchema !== undefined && { inputSchema }),
    ...(resumeSchema !== undefined && { resumeSchema }),
    ...(edit !== undefined && { edit }),
    ...(source.type === 'tool' && source.title !== undefined && { title: source.title }),
    ...(bound !== undefined && { bound: { ...bound } }),
    ...(!jsonEquals(input, call.input) && { input }),
    ...(call.attempts > 0 && { attempts: call.attempts }),
  };
}

/** A finished sibling of a waiting call: its result is parked until the turn is complete. */
function parkedMetadata(call: Call, outcome: ToolOutcome, via: SettledVia): JsonObject {
  if (outcome.type === 'error') return { pendingOutput: outcome.message, hitl: { via, error: outcome.code } };
  const { output, content } = outcome;
  const metadata = { ...outcome.metadata, ...replyMark(call) };
  return {
    pendingOutput: output,
    hitl: {
      via,
      ...(content && { content: content.map(partJson) }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    },
  };
}

/** Marks an output that a human gave; one that was made by hand carries what it was given. */
function replyMark({ resolved }: Call): JsonObject {
  if (resolved?.resolution.action !== 'respond') return {};
  const { metadata, verbatim } = resolved.resolution;
  if (metadata !== undefined) return { interruptResponse: metadata };
  return verbatim === undefined ? { interruptResponse: true } : {};
}

/** Says where the outcome of a call came from; `undefined` where it has none. */
export function viaOf({ state }: Call): SettledVia | undefined {
  return state.status === 'settled' ? state.via : undefined;
}

/** Gives the words of a tool response beside its output; `resumed` where a resume made its message. */
export function responseMetadata(call: Call, resumed: boolean): JsonObject {
  const { state, resolved } = call;
  const pending = resumed && resolved === undefined && viaOf(call) !== 'respond';
  const code = state.status === 'settled' && state.outcome.type === 'error' ? state.outcome.code : undefined;
  return {
    ...replyMark(call),
    ...(pending && { source: 'pending' }),
    ...(code !== undefined && { hitl: { error: code } }),
  };
}
