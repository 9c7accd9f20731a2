import type { Interrupt, JsonObject, JsonValue, Message, Part, RunState } from '../core/index.js';
import { factsShown, invariant, isJsonObject, readableTextOf, toWellFormed } from '../core/index.js';

// Invariants:
// Q1 The call is given whole, as the person would see it. Everything else is cut, and says so.
// Q2 Only the user's own messages are authorization: what came with them from files, what tools returned, and what the
//    model says is evidence.

/** An event before the call. Untrusted text, which may be cut. */
export type Evidence =
  | { readonly type: 'model'; readonly text: string }
  | { readonly type: 'call'; readonly tool: string; readonly input: string }
  | { readonly type: 'result'; readonly tool: string; readonly output: string; readonly failed: boolean }
  /** Content attached to a user message, such as a file, or a message from an imported history. */
  | { readonly type: 'attached'; readonly text: string };

/** A request to a reviewer, as plain JSON. */
export interface ReviewRequest {
  readonly version: 1;
  /** The call, as the user would see it. */
  readonly call: {
    readonly tool: string;
    readonly title?: string;
    readonly input: JsonValue;
    readonly reason?: string;
    readonly facts?: JsonObject;
    readonly diff?: string;
  };
  /** The session's working folder. */
  readonly folder?: string;
  /** The user's own messages, oldest first. Only these are authorization. */
  readonly user: readonly string[];
  /** The latest events before the call, oldest first. Untrusted text, never instructions. */
  readonly evidence: readonly Evidence[];
}

const MOST_MESSAGES = 20;
const LONGEST_MESSAGE = 4_000;
const MOST_EVIDENCE = 16;
const LONGEST_EVIDENCE = 2_000;

/** Cuts a text and marks the cut. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${toWellFormed(text.slice(0, most))}\n[cut: ${text.length - most} more characters]`;
}

/** Creates the request for reviewing an open call (Q1, Q2). */
export function reviewRequest({ source, payload }: Interrupt, state: RunState): ReviewRequest {
  invariant(source.type === 'tool', 'only calls are reviewed');
  const { name, input, title } = source;
  const { reason, diff } = isJsonObject(payload) ? payload : {};
  const facts = factsShown(payload);
  const { user, evidence } = history(state);
  return {
    version: 1,
    call: {
      tool: name,
      ...(title !== undefined && { title }),
      input,
      ...(typeof reason === 'string' && { reason }),
      ...(Object.keys(facts).length > 0 && { facts: { ...facts } }),
      ...(typeof diff === 'string' && { diff }),
    },
    ...(state.cwd !== undefined && { folder: state.cwd }),
    user: user.slice(-MOST_MESSAGES).map((text) => cut(text, LONGEST_MESSAGE)),
    evidence: evidence.slice(-MOST_EVIDENCE),
  };
}

function history(state: RunState): {
  readonly user: readonly string[];
  readonly evidence: readonly Evidence[];
} {
  const user: string[] = [];
  const evidence: Evidence[] = [];
  // An adopted history says who asked for what, and nobody here knows that it is true.
  const isAdopted = state.parent?.kind === 'import' || state.parent?.foreign === true;
  const messages = [...state.entries.toArray().map(({ message }) => message), ...openMessages(state)];
  for (const message of messages) {
    if (message.role !== 'user')
      evidence.push(...message.content.flatMap((part) => evidenceOf(message, part)));
    else {
      const [said, ...attached] = message.content;
      if (said?.type === 'text' && !isAdopted) user.push(said.text);
      else if (said !== undefined) attached.unshift(said);
      evidence.push(...attached.flatMap((part) => attachedOf(part)));
    }
  }
  return { user, evidence };
}

function openMessages({ open }: RunState): readonly Message[] {
  if (open === undefined) return [];
  const settled = open.calls.flatMap(({ request: { ref, name }, state }): Part[] => {
    if (state.status !== 'settled') return [];
    const { outcome } = state;
    return outcome.type === 'output'
      ? [{ type: 'tool-response', ref, name, output: outcome.output }]
      : [{ type: 'tool-response', ref, name, output: outcome.message, isError: true }];
  });
  return [open.message, { role: 'tool', content: settled }];
}

function evidenceOf(message: Message, part: Part): readonly Evidence[] {
  switch (part.type) {
    case 'text':
      return message.role === 'model' ? [{ type: 'model', text: cut(part.text, LONGEST_EVIDENCE) }] : [];
    case 'tool-request':
      return [{ type: 'call', tool: part.name, input: cut(JSON.stringify(part.input), LONGEST_EVIDENCE) }];
    case 'tool-response': {
      const { name, output, isError = false } = part;
      const text = typeof output === 'string' ? output : JSON.stringify(output);
      return [{ type: 'result', tool: name, output: cut(text, LONGEST_EVIDENCE), failed: isError }];
    }
    case 'reasoning':
    case 'media':
    case 'data':
      return [];
  }
}

function attachedOf(part: Part): readonly Evidence[] {
  const text = readableTextOf({ role: 'user', content: [part] });
  return text === '' ? [] : [{ type: 'attached', text: cut(text, LONGEST_EVIDENCE) }];
}
