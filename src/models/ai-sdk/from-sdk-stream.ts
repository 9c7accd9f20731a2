import type { JsonObject, ModelEvent, ModelReply, Part, ReplyEnd, Usage } from '../../core/index.js';
import { isJson, isJsonObject, membersOf, toolRef, present } from '../../core/index.js';
import type { CallInput } from '../call-input.js';
import { callInput, cutCallText } from '../call-input.js';
import { unwrapInput } from '../scalar-inputs.js';
import { BrokenReply } from './broken-reply.js';
import { replyFile } from './files.js';
import type { Reader } from './to-prompt.js';
import { OWN_WORDS } from './to-prompt.js';

// Invariants:
// A1 A reply is whole with a `finish` that names its end, and not before: packages end a stream that broke with `other`
//    and no word of the provider, or with `unknown`, or `interrupted`.
// A2 Calls are requests only under `tool-use`, each with a reference of its own; of a cut one words are left.
// A3 A reply has at most `MOST_PARTS`, and `MOST_CHARACTERS` of text and inputs (T18).

const MOST_PARTS = 10_000;
const MOST_CHARACTERS = 64_000_000;

/** A part of a provider's stream. Its content is untrusted. */
type StreamPart = Readonly<Record<string, unknown>>;

/** Assembles a reply from the parts of a stream, in the order in which they started. */
export class ReplyReader {
  readonly #reader: Reader;
  readonly #mintRef: (callIndex: number) => string;
  readonly #content: Part[] = [];
  /** Index in `#content` of each text or reasoning part that is being streamed. */
  readonly #places = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly #refs = new Set<string>();
  #characters = 0;
  #end: ReplyEnd | undefined;
  #usage: ModelReply['usage'];
  #notes: readonly string[] = [];

  /** `mintRef` creates a ref for the n-th call of the reply if the provider does not send an id. */
  constructor(reader: Reader, mintRef: (callIndex: number) => string) {
    this.#reader = reader;
    this.#mintRef = mintRef;
  }

  /**
   * Reads one part and returns the events to show immediately.
   * @throws BrokenReply if the part is out of place or too large.
   */
  read(part: StreamPart): readonly ModelEvent[] {
    const id = textIn(part, 'id');
    switch (part['type']) {
      case 'text-start':
      case 'reasoning-start':
        this.#begin(part, id);
        return [];
      case 'text-delta':
      case 'reasoning-delta':
        return this.#goOn(part, id);
      case 'text-end':
      case 'reasoning-end':
        this.#told(id, part);
        return [];
      case 'tool-input-start':
        this.#names.set(id, textIn(part, 'toolName'));
        return [];
      case 'tool-input-delta': {
        const name = this.#names.get(id) ?? '';
        return [{ type: 'tool-input-delta', name, characters: this.#counted(textIn(part, 'delta')).length }];
      }
      case 'tool-call':
        return this.#call(part);
      case 'file':
        for (const file of replyFile(part)) this.#push({ ...file, url: this.#counted(file.url) });
        return [];
      case 'finish':
        this.#end = endOf(part['finishReason']);
        this.#usage = usageOf(part['usage']);
        return [];
      default:
        return []; // sources, raw chunks and what later versions bring
    }
  }

  /**
   * Returns the complete reply.
   * @throws BrokenReply if the stream ended early, or if the reply stops for tool calls but does not contain
   * any.
   */
  reply(): ModelReply {
    const said = this.#end;
    if (said === undefined) throw new BrokenReply('the stream ended before the reply did', true);
    // Some providers end a reply that asks for tools with `stop`.
    const end = this.#refs.size > 0 && (said === 'stop' || said === 'other') ? 'tool-use' : said;
    if (end === 'tool-use' && this.#refs.size === 0)
      throw new BrokenReply('the reply stops for tool calls but contains none that can run', false);
    const content = end === 'tool-use' ? this.#content : this.#withoutCalls(end);
    return { content, end, ...(this.#usage !== undefined && { usage: this.#usage }) };
  }

  /** Text in the reply that was not streamed. It replaces calls that were cut off. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  /** A2 */
  #withoutCalls(end: ReplyEnd): readonly Part[] {
    const parts: Part[] = [];
    const notes: string[] = [];
    for (const part of this.#content) {
      const text = part.type === 'tool-request' ? cutCallText(part.name, end, parts) : undefined;
      if (text !== undefined) notes.push(text);
      parts.push(text === undefined ? part : { type: 'text', text });
    }
    this.#notes = notes;
    return parts;
  }

  #push(part: Part): void {
    if (this.#content.length === MOST_PARTS) throw new BrokenReply('the reply has too many parts', false);
    this.#content.push(part);
  }

  /** A3 */
  #counted(text: string): string {
    this.#characters += text.length;
    if (this.#characters > MOST_CHARACTERS) throw new BrokenReply('the reply is too large', false);
    return text;
  }

  #begin(part: StreamPart, id: string): void {
    const type = part['type'] === 'text-start' ? 'text' : 'reasoning';
    this.#places.set(`${type}:${id}`, this.#content.length);
    this.#push({ type, text: '', ...this.#words(part) });
  }

  #goOn(part: StreamPart, id: string): readonly ModelEvent[] {
    const type = part['type'] === 'text-delta' ? 'text' : 'reasoning';
    const text = this.#counted(textIn(part, 'delta'));
    if (!this.#places.has(`${type}:${id}`)) this.#begin({ type: `${type}-start` }, id);
    const place = this.#places.get(`${type}:${id}`) ?? 0;
    const before = this.#content[place];
    if (before?.type === 'text' || before?.type === 'reasoning')
      this.#content[place] = { ...before, text: before.text + text, ...this.#words(part) };
    return [type === 'text' ? { type: 'text-delta', text } : { type: 'reasoning-delta', text }];
  }

  /** Adds metadata that arrives at the end of a text part, such as its signature. */
  #told(id: string, part: StreamPart): void {
    const type = part['type'] === 'text-end' ? 'text' : 'reasoning';
    const place = this.#places.get(`${type}:${id}`);
    const before = place === undefined ? undefined : this.#content[place];
    if (place === undefined || before === undefined) return;
    this.#content[place] = { ...before, ...this.#words(part) };
  }

  #call(part: StreamPart): readonly ModelEvent[] {
    const name = textIn(part, 'toolName');
    const { input, problem } = inputOf(part['input'], (text) => this.#counted(text));
    // A tool of the provider's own ran there already.
    if (part['providerExecuted'] === true) return [{ type: 'provider-call', name, input }];
    const whole = this.#reader.wrapped.has(name) ? (unwrapInput(input)?.value ?? input) : input;
    const id = textIn(part, 'toolCallId');
    const ref = toolRef(id === '' ? this.#mintRef(this.#refs.size) : id);
    if (this.#refs.has(ref)) throw new BrokenReply(`two tool calls have the id \`${ref}\``, false);
    this.#refs.add(ref);
    const wrong = problem === undefined ? {} : { problem };
    this.#push({ type: 'tool-request', ref, name, input: whole, ...wrong, ...this.#words(part) });
    return [];
  }

  #words({ providerMetadata }: StreamPart): { readonly metadata?: JsonObject } {
    if (!isJsonObject(providerMetadata) || !isJson(providerMetadata)) return {};
    return { metadata: { [OWN_WORDS]: { provider: this.#reader.provider, options: providerMetadata } } };
  }
}

function textIn(part: StreamPart, member: string): string {
  const value = part[member];
  return typeof value === 'string' ? value : '';
}

function inputOf(given: unknown, counted: (text: string) => string): CallInput {
  const text = counted(typeof given === 'string' ? given : JSON.stringify(given ?? {}));
  return text.trim() === '' ? { input: {} } : callInput(text);
}

const ENDS: Readonly<Record<string, ReplyEnd>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'refusal',
  'tool-calls': 'tool-use',
  other: 'other',
};

/**
 * Reads the reason that the reply ended. It is a string in version 2. In later versions, it is an object with
 * `unified` and, in `raw`, the provider's own term.
 */
function endOf(reason: unknown): ReplyEnd | undefined {
  const { unified, raw } = membersOf(reason);
  const word = typeof reason === 'string' ? reason : unified;
  if (word === 'unknown' || word === 'interrupted') return undefined; // A1
  if (word === 'error') throw new BrokenReply('the provider ended the reply with an error', true);
  if (word === 'other' && typeof reason !== 'string' && typeof raw !== 'string') return undefined; // A1
  return typeof word === 'string' && Object.hasOwn(ENDS, word) ? ENDS[word] : 'other';
}

/** Reads the token usage. Version 2 has plain counts. Later versions divide each count into parts. */
function usageOf(usage: unknown): Usage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens } = membersOf(usage);
  const [input, output] = [countOf(inputTokens), countOf(outputTokens)];
  if (input === undefined && output === undefined) return undefined;
  const { cacheRead, cacheWrite } = membersOf(inputTokens);
  const [read, written] = [countOf(cacheRead ?? cachedInputTokens), countOf(cacheWrite)];
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...present({ cacheReadTokens: read, cacheWriteTokens: written }),
  };
}

function countOf(value: unknown): number | undefined {
  const count = isJsonObject(value) ? value['total'] : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}
