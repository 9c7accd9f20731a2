// Invariants:
// U1 What others wrote is shown as text: control and bidirectional characters are escaped, and what a tool put out, or
//    asks, stands behind a fence that it cannot close.
// U2 A text that was streamed is not told again when it is durable.
import { resolve } from 'node:path';
import type { SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import type {
  Call,
  JsonValue,
  Message,
  RunState,
  SessionEvent,
  ToolOutcome,
  TransientEvent,
} from '../../src/core/index.js';
import {
  callWordsOf,
  escapeLines,
  fenced,
  mediaWords,
  membersOf,
  present,
  readableTextOf,
  TODO_TOOL,
  todoItems,
  toolRequestsOf,
} from '../../src/core/index.js';
import { safeText } from '../../src/render/safe-text.js';

/** Maximum number of characters of a result to show in an editor. The journal contains the whole result. */
const MOST_RESULT = 10_000;
/** Maximum size of an input or output to send to an editor as data, in characters of JSON. */
const MOST_RAW = 50_000;

/** The information about a call that the editor has received so far. */
interface ToldCall {
  readonly name: string;
  readonly input: JsonValue;
}

/** Converts the events of a session to editor updates. */
export class Updates {
  readonly #cwd: string;
  /** Calls that were reported to the editor and have not ended. */
  readonly #calls = new Map<string, ToldCall>();
  #hasText = false;
  #hasThought = false;

  /** @param cwd the folder that relative paths in calls are relative to */
  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Returns the updates for a durable event. `state` includes the event. */
  event(event: SessionEvent, state: RunState): readonly SessionUpdate[] {
    if (event.scope !== undefined && event.scope !== '') return [];
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- an editor has no word for the others
    switch (event.type) {
      case 'message-added':
        return event.message.role === 'model' ? this.#reply(event.message) : [];
      case 'tool-started': {
        const { ref, name, input, title } = event;
        this.#calls.set(ref, { name, input });
        const facts = callFacts({ name, input, title }, this.#cwd);
        return [{ sessionUpdate: 'tool_call_update', toolCallId: ref, status: 'in_progress', ...facts }];
      }
      case 'tool-settled':
        return this.#settled(event.ref, event.outcome);
      case 'interrupt-resolved':
        return this.#refused(state);
      case 'agent-changed':
        return [{ sessionUpdate: 'current_mode_update', currentModeId: event.agent.mode ?? 'ask' }];
      case 'run-ended':
        return this.#ended();
      default:
        return [];
    }
  }

  /** Returns the updates for a transient event. */
  transient(event: TransientEvent): readonly SessionUpdate[] {
    if (event.scope !== undefined && event.scope !== '') return [];
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- as above
    switch (event.type) {
      case 'text-delta':
        this.#hasText = true;
        return textUpdate('agent_message_chunk', event.text);
      case 'reasoning-delta':
        this.#hasThought = true;
        return textUpdate('agent_thought_chunk', event.text);
      case 'tool-progress':
        return [
          { sessionUpdate: 'tool_call_update', toolCallId: event.ref, content: [resultText(event.text)] },
        ];
      default:
        return [];
    }
  }

  /** Yields the conversation so far, for an editor that opens a session. */
  *replayed({ entries, open }: RunState): Generator<SessionUpdate, void> {
    for (const { message, calls = [] } of entries) yield* this.#past(message, calls);
    if (open !== undefined) yield* this.#past(open.message, open.calls);
  }

  *#past(message: Message, calls: readonly Call[]): Generator<SessionUpdate, void> {
    if (message.role === 'user') {
      const files = message.content.flatMap((part) => (part.type === 'media' ? [mediaWords(part)] : []));
      yield* textUpdate('user_message_chunk', [readableTextOf(message), ...files].join('\n'));
    }
    if (message.role !== 'model') return;
    yield* this.#reply(message);
    for (const { request, state } of calls)
      if (state.status === 'settled') yield* this.#settled(request.ref, state.outcome);
  }

  /** Returns the updates for a reply: its text, unless it was streamed (U2), and its calls. */
  #reply(message: Message): readonly SessionUpdate[] {
    const thoughts = message.content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []));
    const told = [
      ...(this.#hasThought ? [] : textUpdate('agent_thought_chunk', thoughts.join('\n'))),
      ...(this.#hasText ? [] : textUpdate('agent_message_chunk', readableTextOf(message))),
    ];
    this.#hasText = false;
    this.#hasThought = false;
    const calls = toolRequestsOf(message).map(({ ref, name, input }): SessionUpdate => {
      this.#calls.set(ref, { name, input });
      const facts = callFacts({ name, input }, this.#cwd);
      return { sessionUpdate: 'tool_call', toolCallId: ref, status: 'pending', ...facts };
    });
    return [...told, ...calls];
  }

  #settled(ref: string, outcome: ToolOutcome): readonly SessionUpdate[] {
    const call = this.#calls.get(ref);
    this.#calls.delete(ref);
    const isOutput = outcome.type === 'output';
    const content = isOutput ? resultText(outputText(outcome.output)) : resultText(outcome.message);
    const raw = isOutput ? rawOf(outcome.output) : undefined;
    const told: SessionUpdate = {
      sessionUpdate: 'tool_call_update',
      toolCallId: ref,
      status: isOutput ? 'completed' : 'failed',
      content: [...(isOutput ? ownChange(call, this.#cwd) : []), content],
      ...(raw !== undefined && { rawOutput: raw }),
    };
    return isOutput && call?.name === TODO_TOOL ? [told, planUpdate(call.input)] : [told];
  }

  /** Returns the updates for calls that an answer ended. */
  #refused({ open, entries }: RunState): readonly SessionUpdate[] {
    const calls =
      open?.calls ?? entries.at(entries.length - 1)?.calls ?? entries.at(entries.length - 2)?.calls ?? [];
    return calls.flatMap(({ request: { ref }, state }) =>
      state.status === 'settled' && this.#calls.has(ref) ? this.#settled(ref, state.outcome) : [],
    );
  }

  /** Returns the updates that end all remaining calls once the run has ended. */
  #ended(): readonly SessionUpdate[] {
    const left = [...this.#calls.keys()];
    this.#calls.clear();
    this.#hasText = false;
    this.#hasThought = false;
    return left.map((toolCallId) => ({ sessionUpdate: 'tool_call_update', toolCallId, status: 'failed' }));
  }
}

/** Returns the details of a call that do not depend on its state. */
export function callFacts(
  call: { readonly name: string; readonly input: JsonValue; readonly title?: string | undefined },
  cwd: string,
): {
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
  readonly rawInput?: JsonValue;
} {
  const { name, input, title } = call;
  return {
    title: callWordsOf({ name, input, ...present({ title }) }),
    name,
    kind: kindOf(name),
    locations: locationsOf(input, cwd),
    ...present({ rawInput: rawOf(input) }),
  };
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  list_files: 'search',
  search_files: 'search',
  write_file: 'edit',
  edit_file: 'edit',
  run_command: 'execute',
  fetch_url: 'fetch',
  [TODO_TOOL]: 'think',
};

function kindOf(name: string): ToolKind {
  return (Object.hasOwn(KINDS, name) ? KINDS[name] : undefined) ?? 'other';
}

/** Returns the file that a call applies to, if its input specifies one. */
function locationsOf(input: JsonValue, cwd: string): ToolCallLocation[] {
  const { path } = membersOf(input);
  return typeof path === 'string' && path !== '' && !path.includes('\0')
    ? [{ path: resolve(cwd, path) }]
    : [];
}

/**
 * Returns the change made by an `edit_file` call, whose input contains the whole change. For `write_file`,
 * the change is shown with the question.
 */
function ownChange(call: ToldCall | undefined, cwd: string): ToolCallContent[] {
  if (call?.name !== 'edit_file') return [];
  const { path, oldText, newText } = membersOf(call.input);
  if (typeof path !== 'string' || typeof oldText !== 'string' || typeof newText !== 'string') return [];
  return [{ type: 'diff', path: resolve(cwd, path), oldText, newText }];
}

function rawOf(value: JsonValue): JsonValue | undefined {
  return JSON.stringify(value).length <= MOST_RAW ? value : undefined;
}

function outputText(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output, null, 2);
}

/** Formats a result as a fenced block, and shortens it if it is long (U1). */
function resultText(text: string): ToolCallContent {
  const left = text.length - MOST_RESULT;
  const cut = left > 0 ? `${text.slice(0, MOST_RESULT)}\n… ${left} more characters` : text;
  return fencedContent(escapeLines(cut).join('\n'));
}

/** Formats safe text as a fenced block, so that it is shown unchanged. */
export function fencedContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text: fenced(text) } };
}

/** Returns the update for a piece of a message, or none if the text is empty. */
function textUpdate(
  sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk',
  text: string,
): readonly SessionUpdate[] {
  if (text === '') return [];
  return [{ sessionUpdate, content: { type: 'text', text: safeText(text, '\t') } }];
}

const STEPS = { open: 'pending', doing: 'in_progress', done: 'completed' } as const;

/** Returns the update that shows the model's planned steps. */
function planUpdate(input: JsonValue): SessionUpdate {
  const entries = todoItems(input).map(({ text, state }) => ({
    content: safeText(text),
    priority: 'medium' as const,
    status: STEPS[state],
  }));
  return { sessionUpdate: 'plan', entries };
}
