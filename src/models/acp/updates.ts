// What an agent tells of its work, as parts of a reply.
import type { JsonObject, JsonValue, ModelEvent, Part, Usage } from '../../core/index.js';
import { isJsonArray, isJsonObject, membersOf, onOneLine, toWellFormed } from '../../core/index.js';
import { tooMuch } from './traffic.js';

/** Maximum numbers of characters and of updates in one reply (B1 of `traffic.ts`). */
const MOST_TEXT = 4_000_000;
const MOST_UPDATES = 50_000;
/**
 * Limits for the agent's own calls: number of calls to remember, number of characters to remember about each,
 * and number of characters in its description.
 */
const MOST_CALLS = 100;
const MOST_TOLD = 500_000;
const MOST_LINE = 300;

/** Details known about one of the agent's own calls. */
interface OwnCall {
  readonly name: string;
  readonly told: JsonObject;
  readonly isShown: boolean;
  readonly isEnded: boolean;
}

/** Converts an agent's updates to the parts of a reply. */
export class ReplyParts {
  readonly #parts: Part[] = [];
  readonly #calls: Map<string, OwnCall>;
  #characters = 0;
  #updates = 0;
  #costUsd: number | undefined;

  /** @param calls details known about the agent's own calls; they are kept across replies */
  constructor(calls: Map<string, OwnCall>) {
    this.#calls = calls;
  }

  get parts(): readonly Part[] {
    return this.#parts;
  }

  /** Total cost of the agent's session in US dollars, if the agent reports it. */
  get costUsd(): number | undefined {
    return this.#costUsd;
  }

  /**
   * Processes one update.
   * @throws HitlError MODEL_FAILED if the reply is too large
   */
  add(update: JsonObject): readonly ModelEvent[] {
    this.#updates += 1;
    if (this.#updates > MOST_UPDATES) throw tooMuch(`more than ${MOST_UPDATES} updates in one reply`);
    const { sessionUpdate: kind } = update;
    switch (typeof kind === 'string' ? kind : '') {
      case 'agent_message_chunk':
        return this.#text('text', textIn(update['content']));
      case 'agent_thought_chunk':
        return this.#text('reasoning', textIn(update['content']));
      case 'plan':
        return this.#text('reasoning', planIn(update['entries']));
      case 'tool_call':
      case 'tool_call_update':
        return this.#call(update);
      case 'usage_update': {
        const { amount, currency } = membersOf(update['cost']);
        if (typeof amount === 'number' && amount >= 0 && currency === 'USD') this.#costUsd = amount;
        return [];
      }
      default:
        return []; // modes, commands and titles of the agent's own screen
    }
  }

  #text(type: 'text' | 'reasoning', given: string): readonly ModelEvent[] {
    const text = toWellFormed(given);
    if (text === '') return [];
    this.#characters += text.length;
    if (this.#characters > MOST_TEXT) throw tooMuch(`more than ${MOST_TEXT} characters in one reply`);
    const last = this.#parts.at(-1);
    if (last?.type === type) this.#parts[this.#parts.length - 1] = { type, text: last.text + text };
    else this.#parts.push({ type, text });
    return [{ type: `${type}-delta`, text }];
  }

  /** Reports one of the agent's own calls when it is first described, and again when it has ended. */
  #call(update: JsonObject): readonly ModelEvent[] {
    const { toolCallId: id, title, kind, status } = update;
    if (typeof id !== 'string') return [];
    const before = this.#calls.get(id);
    if (before === undefined && this.#calls.size >= MOST_CALLS) {
      const [oldest] = this.#calls.keys();
      if (oldest !== undefined) this.#calls.delete(oldest);
    }
    const all = { ...before?.told, ...presentIn(update) };
    const told = JSON.stringify(all).length > MOST_TOLD ? {} : all;
    const name = typeof kind === 'string' && kind !== '' ? lineOf(kind) : (before?.name ?? 'other');
    const line = typeof title === 'string' ? lineOf(title) : undefined;
    const isEnded = status === 'completed' || status === 'failed';
    const events: ModelEvent[] = [];
    const isShown = before?.isShown === true || line !== undefined;
    if (before?.isShown !== true && line !== undefined) {
      const input = { title: line };
      this.#parts.push({ type: 'data', data: { type: 'agent_tool_use', name, input } });
      events.push({ type: 'provider-call', name, input, by: 'agent' });
    }
    if (isEnded && isShown && before?.isEnded !== true) {
      const failed = status === 'failed';
      const content = failed ? { error_code: 'failed' } : {};
      this.#parts.push({ type: 'data', data: { type: `${name}_tool_result`, content } });
      events.push({ type: 'provider-result', name, facts: failed ? 'failed' : '', failed });
    }
    this.#calls.set(id, { name, told, isShown, isEnded: isEnded || before?.isEnded === true });
    return events;
  }
}

/** Details known about the agent's own calls, by id. */
export type OwnCalls = ConstructorParameters<typeof ReplyParts>[0];

/** Returns the cost that was added since the agent's previous report. */
export function costSince(before: number, now: number | undefined): Usage | undefined {
  return now === undefined || now <= before
    ? undefined
    : { inputTokens: 0, outputTokens: 0, costUsd: now - before };
}

function presentIn(update: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== null));
}

function lineOf(text: string): string {
  return onOneLine(toWellFormed(text.slice(0, MOST_LINE)));
}

function textIn(content: JsonValue | undefined): string {
  const { type, text, uri } = membersOf(content);
  if (type === 'text' && typeof text === 'string') return text;
  if (type === 'resource_link' && typeof uri === 'string') return `[${uri}]`;
  return typeof type === 'string' ? `[${type}]` : '';
}

function planIn(entries: JsonValue | undefined): string {
  if (entries === undefined || !isJsonArray(entries)) return '';
  const rows = entries.flatMap((entry) => {
    if (!isJsonObject(entry) || typeof entry['content'] !== 'string') return [];
    const mark = entry['status'] === 'completed' ? 'x' : entry['status'] === 'in_progress' ? '>' : ' ';
    return [`[${mark}] ${lineOf(entry['content'])}`];
  });
  return rows.length === 0 ? '' : `\nPlan:\n${rows.join('\n')}\n`;
}
