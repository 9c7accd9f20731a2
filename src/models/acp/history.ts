// What the journal has of an agent: its session, what it has not heard yet, and the answers that are kept for it.
import type {
  JsonValue,
  Message,
  Part,
  Sequence,
  ToolRef,
  ToolRequestPart,
  ToolResponsePart,
} from '../../core/index.js';
import { bareText, digestOf, isJsonArray, membersOf, textOf } from '../../core/index.js';
import type { AskedCall } from './asked.js';
import { PERMISSION_TOOL, permissionDigest } from './asked.js';

// Invariants:
// K1 A kept answer is one that the agent cannot have heard: it was given after its process had ended, and before any other
//    was told of it.
// K2 It is handed out once, to the same request: a call that names it, or the mark of the reply that gave it, uses it up.
// K3 What a file holds is read anew: it may be another by then.

/** Information about the agent, stored in the metadata of the last part of a reply. */
export interface AgentMark {
  readonly agent: string;
  /** Session id assigned by the agent. */
  readonly session: string;
  /**
   * `kept`: refs of calls whose results the agent cannot have received (K1). `given`: refs of calls whose
   * results were passed on during this reply (K2).
   */
  readonly kept?: readonly string[];
  readonly given?: readonly string[];
}

/** Adds an agent's mark to the last part of a reply. */
export function marked(content: readonly Part[], mark: AgentMark): readonly Part[] {
  const { agent, session, kept = [], given = [] } = mark;
  const acp = { agent, session, ...(kept.length > 0 && { kept }), ...(given.length > 0 && { given }) };
  return content.map((part, at) =>
    at === content.length - 1
      ? { ...part, metadata: { ...part.metadata, acp: { ...membersOf(part.metadata?.['acp']), ...acp } } }
      : part,
  );
}

/**
 * Creates the tool request for an agent's request. It includes a digest of the agent's request. The digest
 * does not change if the input is edited later.
 */
export function requestOf(ref: ToolRef, { name, input }: AskedCall): ToolRequestPart {
  return {
    type: 'tool-request',
    ref,
    name,
    input,
    metadata: { acp: { asked: askedDigest({ name, input }) } },
  };
}

function askedDigest({ name, input }: AskedCall): string {
  return name === PERMISSION_TOOL ? permissionDigest(input) : digestOf([name, input]);
}

function markOf({ content }: Message): AgentMark | undefined {
  const { agent, session, kept, given } = membersOf(content.at(-1)?.metadata?.['acp']);
  if (typeof agent !== 'string' || typeof session !== 'string') return undefined;
  return { agent, session, kept: refsIn(kept), given: refsIn(given) };
}

function refsIn(value: JsonValue = []): readonly string[] {
  return isJsonArray(value) ? value.filter((ref) => typeof ref === 'string') : [];
}

/** A tool request in the last reply, with its result. */
export interface Settled {
  readonly request: ToolRequestPart;
  readonly response: ToolResponsePart;
}

/** Results and user messages that follow the last reply. */
export interface Since {
  /** The agent's session, if the last reply came from the same agent. */
  readonly session?: string;
  readonly settled: readonly Settled[];
  /** User messages in order, each with its index in the history. */
  readonly said: readonly { readonly at: number; readonly message: Message }[];
}

/**
 * Returns the results and user messages that an agent has not received, because they follow its last reply.
 */
export function sinceReply(messages: Sequence<Message>, agent: string): Since {
  const all = messages.toArray();
  const last = all.findLastIndex(({ role }) => role === 'model');
  const reply = last === -1 ? undefined : all[last];
  const mark = reply && markOf(reply);
  const requests = new Map(
    (reply?.content ?? []).flatMap((part) =>
      part.type === 'tool-request' ? [[part.ref, part] as const] : [],
    ),
  );
  const after = all.slice(last + 1).map((message, index) => ({ at: last + 1 + index, message }));
  return {
    ...(mark?.agent === agent && { session: mark.session }),
    settled: after.flatMap(({ message }) =>
      message.content.flatMap((part) => {
        const request = part.type === 'tool-response' ? requests.get(part.ref) : undefined;
        return part.type === 'tool-response' && request !== undefined ? [{ request, response: part }] : [];
      }),
    ),
    said: after.filter(({ message }) => message.role === 'user'),
  };
}

/** Tools that run again instead of using a kept result (K3). */
const READ_ANEW = new Set(['read_file']);

/** Returns the refs of calls whose results are kept for the agent. */
export function keptRefs(settled: readonly Settled[]): readonly string[] {
  return settled.flatMap(({ request }) => (READ_ANEW.has(request.name) ? [] : [request.ref]));
}

/** A kept result. */
export interface KeptAnswer {
  readonly ref: string;
  readonly response: ToolResponsePart;
  /** The input of the call that ran. */
  readonly ran: JsonValue;
}

/**
 * Finds a kept result for a request (K2).
 * @param now refs of calls whose results are kept for, or have been passed on during, the current reply
 */
export function keptAnswer(
  messages: Iterable<Message>,
  call: AskedCall,
  now: { readonly kept: readonly string[]; readonly given: readonly string[] },
): KeptAnswer | undefined {
  const digest = askedDigest(call);
  const kept = new Set(now.kept);
  const used = new Set(now.given);
  const same = new Map<string, JsonValue>();
  const responses = new Map<string, ToolResponsePart>();
  for (const message of messages) {
    const mark = message.role === 'model' ? markOf(message) : undefined;
    for (const ref of mark?.kept ?? []) kept.add(ref);
    for (const ref of mark?.given ?? []) used.add(ref);
    for (const part of message.content) {
      if (part.type === 'tool-response') responses.set(part.ref, part);
      if (part.type !== 'tool-request' || part.name !== call.name) continue;
      const { earlier } = membersOf(part.input);
      if (part.name === PERMISSION_TOOL && typeof earlier === 'string') used.add(earlier);
      if (membersOf(part.metadata?.['acp'])['asked'] === digest) same.set(part.ref, part.input);
    }
  }
  for (const ref of kept) {
    const [response, ran] = [responses.get(ref), same.get(ref)];
    if (response !== undefined && ran !== undefined && !used.has(ref)) return { ref, response, ran };
  }
  return undefined;
}

/** Maximum number of characters in a transcript, and in a single result, that are sent to an agent. */
const MOST_TRANSCRIPT = 200_000;
const MOST_RESULT = 4_000;

/** Describes the outcome of requests for an agent that may not have received their results. */
export function decidedWords(settled: readonly Settled[], isKept: boolean): string {
  if (settled.length === 0) return '';
  const lines = settled.map(({ request, response }) => {
    const result = bareText(response.output).slice(0, MOST_RESULT);
    if (request.name !== PERMISSION_TOOL)
      return `- ${request.name} ${JSON.stringify(placeIn(request))}: ${response.isError === true ? 'not done' : 'done'}: ${result}`;
    const { title = request.ref } = membersOf(request.input);
    const again = isKept
      ? 'request the same thing again to get this answer without asking the user'
      : 'request it again if you still need it';
    return `- permission ${JSON.stringify(title)}: ${response.isError === true ? result : 'allowed'}; ${again}`;
  });
  const heard = isKept ? 'You were stopped before you received' : 'You may not have received';
  return `${heard} the outcome of these requests:\n${lines.join('\n')}\nDo not repeat completed work; continue with the task.`;
}

function placeIn({ input }: ToolRequestPart): string {
  const { path, command, argv } = membersOf(input);
  return bareText(path ?? command ?? argv ?? '');
}

/** Formats the conversation so far for an agent that cannot load its previous session. */
export function transcriptWords(messages: readonly Message[]): string {
  const lines = messages.flatMap((message): readonly string[] => {
    const text = textOf(message).trim();
    const said = text === '' ? [] : [`${message.role === 'user' ? 'User' : 'You'}: ${text}`];
    const calls = message.content.flatMap((part) => {
      if (part.type === 'tool-request') return [`You asked: ${part.name} ${JSON.stringify(part.input)}`];
      if (part.type !== 'tool-response') return [];
      return [`Result of ${part.name}: ${bareText(part.output).slice(0, MOST_RESULT)}`];
    });
    return [...said, ...calls];
  });
  const all = lines.join('\n');
  return all.length <= MOST_TRANSCRIPT ? all : `…${all.slice(all.length - MOST_TRANSCRIPT)}`;
}
