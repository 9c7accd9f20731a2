import type {
  JsonObject,
  JsonValue,
  ModelEvent,
  ModelReply,
  Part,
  ReplyEnd,
  Usage,
} from '../../core/index.js';
import { isJson, isJsonObject, membersOf, parseStrictJson, toolRef } from '../../core/index.js';
import { unwrapInput } from '../scalar-inputs.js';
import type { Reader } from './to-prompt.js';
import { OWN_WORDS } from './to-prompt.js';

/** A part of a provider's stream: foreign data. */
type StreamPart = Readonly<Record<string, unknown>>;

/** Puts a reply together from the parts of a stream, in the order in which they began. */
export class ReplyReader {
  readonly #provider: string;
  readonly #wrapped: ReadonlySet<string>;
  readonly #content: Part[] = [];
  /** Texts and tool inputs that are being written: the place in `#content`, or the name of the tool. */
  readonly #places = new Map<string, number>();
  readonly #names = new Map<string, string>();
  #end: ReplyEnd | undefined;
  #usage: Usage | undefined;

  constructor({ provider, wrapped }: Reader) {
    this.#provider = provider;
    this.#wrapped = wrapped;
  }

  /** Reads one part, and tells what of it is shown at once. */
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
        return [{ type: 'tool-input-delta', name, characters: textIn(part, 'delta').length }];
      }
      case 'tool-call':
        return this.#call(part);
      case 'file':
        this.#content.push(...fileIn(part));
        return [];
      case 'finish':
        this.#end = endOf(part['finishReason']);
        this.#usage = usageOf(part['usage']);
        return [];
      default:
        return []; // sources, raw chunks and what later versions bring
    }
  }

  /** The whole reply; `undefined` where the stream ended before the reply did. */
  reply(): ModelReply | undefined {
    if (this.#end === undefined) return undefined;
    const asks = this.#content.some(({ type }) => type === 'tool-request');
    // Some providers end a reply that asks for tools with `stop`.
    const end = asks && (this.#end === 'stop' || this.#end === 'other') ? 'tool-use' : this.#end;
    const content = this.#content.filter((part) => end === 'tool-use' || part.type !== 'tool-request');
    return { content, end, ...(this.#usage !== undefined && { usage: this.#usage }) };
  }

  #begin(part: StreamPart, id: string): void {
    const type = part['type'] === 'text-start' ? 'text' : 'reasoning';
    this.#places.set(`${type}:${id}`, this.#content.length);
    this.#content.push({ type, text: '', ...this.#words(part) });
  }

  #goOn(part: StreamPart, id: string): readonly ModelEvent[] {
    const type = part['type'] === 'text-delta' ? 'text' : 'reasoning';
    const text = textIn(part, 'delta');
    if (!this.#places.has(`${type}:${id}`)) this.#begin({ type: `${type}-start` }, id);
    const place = this.#places.get(`${type}:${id}`) ?? 0;
    const before = this.#content[place];
    if (before?.type === 'text' || before?.type === 'reasoning')
      this.#content[place] = { ...before, text: before.text + text, ...this.#words(part) };
    return [type === 'text' ? { type: 'text-delta', text } : { type: 'reasoning-delta', text }];
  }

  /** Signatures of a text come with its end. */
  #told(id: string, part: StreamPart): void {
    const type = part['type'] === 'text-end' ? 'text' : 'reasoning';
    const place = this.#places.get(`${type}:${id}`);
    const before = place === undefined ? undefined : this.#content[place];
    if (place === undefined || before === undefined) return;
    this.#content[place] = { ...before, ...this.#words(part) };
  }

  #call(part: StreamPart): readonly ModelEvent[] {
    const name = textIn(part, 'toolName');
    const { input, problem } = inputOf(part['input']);
    // A tool of the provider's own ran there already.
    if (part['providerExecuted'] === true) return [{ type: 'provider-call', name, input }];
    const whole = this.#wrapped.has(name) ? (unwrapInput(input)?.value ?? input) : input;
    const ref = toolRef(textIn(part, 'toolCallId'));
    const wrong = problem === undefined ? {} : { problem };
    this.#content.push({ type: 'tool-request', ref, name, input: whole, ...wrong, ...this.#words(part) });
    return [];
  }

  #words({ providerMetadata }: StreamPart): { readonly metadata?: JsonObject } {
    if (!isJsonObject(providerMetadata) || !isJson(providerMetadata)) return {};
    return { metadata: { [OWN_WORDS]: { provider: this.#provider, options: providerMetadata } } };
  }
}

function textIn(part: StreamPart, member: string): string {
  const value = part[member];
  return typeof value === 'string' ? value : '';
}

function inputOf(given: unknown): { readonly input: JsonValue; readonly problem?: string } {
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {});
  if (text.trim() === '') return { input: {} };
  const read = parseStrictJson(text);
  if (read.ok) return { input: read.value };
  return { input: {}, problem: `the input is not the JSON that was asked for: ${read.message}` };
}

function fileIn(part: StreamPart): readonly Part[] {
  const { data } = part;
  const mediaType = textIn(part, 'mediaType');
  const bytes =
    data instanceof Uint8Array
      ? Buffer.from(data).toString('base64')
      : typeof data === 'string'
        ? data
        : undefined;
  return bytes === undefined
    ? []
    : [{ type: 'media', url: `data:${mediaType};base64,${bytes}`, contentType: mediaType }];
}

const ENDS: Readonly<Record<string, ReplyEnd>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'refusal',
  'tool-calls': 'tool-use',
};

/** A text in version 2, an object with `unified` in version 3. */
function endOf(reason: unknown): ReplyEnd {
  const word = typeof reason === 'string' ? reason : membersOf(reason)['unified'];
  return typeof word === 'string' && Object.hasOwn(ENDS, word) ? (ENDS[word] ?? 'other') : 'other';
}

/** Counts in version 2, counts with their parts in version 3. */
function usageOf(usage: unknown): Usage | undefined {
  const { inputTokens, outputTokens, cachedInputTokens } = membersOf(usage);
  const [input, output] = [countOf(inputTokens), countOf(outputTokens)];
  if (input === undefined && output === undefined) return undefined;
  const { cacheRead, cacheWrite } = membersOf(inputTokens);
  const [read, written] = [countOf(cacheRead ?? cachedInputTokens), countOf(cacheWrite)];
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(read !== undefined && { cacheReadTokens: read }),
    ...(written !== undefined && { cacheWriteTokens: written }),
  };
}

function countOf(value: unknown): number | undefined {
  const count = isJsonObject(value) ? value['total'] : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : undefined;
}
