import type { JsonObject, JsonValue, Refusal } from '../../core/index.js';
import { isJsonArray, isJsonObject, membersOf } from '../../core/index.js';
import type { Failures } from './failures.js';
import { mergeCounts } from './billed-usage.js';

// Invariants:
// M1 One `message_start` comes first; nothing counts without it.
// M2 Blocks open in the order of their index, each once, and only an open one changes.
// M3 Once a stop reason was given, no block opens or changes any more; a late `content_block_stop` is let pass.
// M4 A message is whole with `message_stop` and a stop reason, and not before.
// M5 What an event or a delta of unknown type says is ignored; a block of unknown type is kept.
// M6 A message has at most `MOST_BLOCKS`, because what is done with them is not linear in their number (T18).

const MOST_BLOCKS = 10_000;

/** A content block that is being streamed. */
export interface WireBlock {
  /** From `content_block_start`. */
  readonly start: JsonObject;
  text: string;
  /** The concatenated `input_json_delta`s, which are parsed only when they are complete. */
  json: string;
  signature: string;
  readonly citations: JsonValue[];
  closed: boolean;
}

/** New content of a block, to be shown immediately. */
export interface BlockDelta {
  /** `closed`: complete. */
  readonly type: 'text' | 'thinking' | 'json' | 'closed';
  readonly block: WireBlock;
  text: string;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Maximum length of the explanation of a refusal. Longer ones are cut off. */
const LONGEST_REASON = 2_000;

/** Reads the details that the provider gives for a refusal, if any. */
function refusalIn(delta: JsonValue | undefined): Refusal | undefined {
  const { category, explanation } = membersOf(membersOf(delta)['stop_details']);
  const told = {
    ...(typeof category === 'string' && { category: category.slice(0, LONGEST_REASON) }),
    ...(typeof explanation === 'string' && { explanation: explanation.slice(0, LONGEST_REASON) }),
  };
  return Object.keys(told).length === 0 ? undefined : told;
}

/** Assembles a message from its events. */
export class MessageReader {
  readonly #failures: Failures;
  readonly #blocks: WireBlock[] = [];
  #news: BlockDelta[] = [];
  #started = false;
  #stopReason: string | undefined;
  #refusal: Refusal | undefined;
  #counts: JsonObject = {};
  #whole = false;

  constructor(failures: Failures) {
    this.#failures = failures;
  }

  get started(): boolean {
    return this.#started;
  }

  get whole(): boolean {
    return this.#whole;
  }

  get blocks(): readonly WireBlock[] {
    return this.#blocks;
  }

  get stopReason(): string {
    return this.#stopReason ?? '';
  }

  /** Details that the provider gave for a refusal, if any. */
  get refusal(): Refusal | undefined {
    return this.#refusal;
  }

  /** Token counts as reported by the provider. */
  get counts(): JsonObject {
    return this.#counts;
  }

  /** Returns the visible changes since the last call, combined into as few deltas as possible. */
  news(): readonly BlockDelta[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }

  /**
   * Reads the next event.
   * @throws HitlError MODEL_FAILED if the event is out of place.
   */
  accept(event: unknown): void {
    if (!isJsonObject(event)) return;
    switch (textOf(event['type'])) {
      case 'message_start':
        this.#start(event['message']);
        break;
      case 'content_block_start':
        this.#open(event['index'], event['content_block']);
        break;
      case 'content_block_delta':
        this.#change(event['index'], event['delta']);
        break;
      case 'content_block_stop':
        this.#close(event['index']);
        break;
      case 'message_delta':
        this.#conclude(event);
        break;
      case 'message_stop':
        this.#stop();
        break;
      case 'error':
        throw this.#failures.reported(event);
      default: // M5
    }
  }

  #fail(message: string): Error {
    return this.#failures.protocol(message);
  }

  #start(message: JsonValue | undefined): void {
    if (this.#started) throw this.#fail('a second `message_start` in one stream'); // M1
    this.#started = true;
    if (message !== undefined && isJsonObject(message)) this.#counts = mergeCounts({}, message['usage']);
  }

  /** M1, M3 */
  #checkPlace(event: string): void {
    if (!this.#started) throw this.#fail(`\`${event}\` before \`message_start\``);
    if (this.#stopReason !== undefined) throw this.#fail(`\`${event}\` after the stop reason`);
  }

  #open(index: JsonValue | undefined, start: JsonValue | undefined): void {
    this.#checkPlace('content_block_start');
    if (index !== this.#blocks.length) {
      throw this.#fail(
        `block ${JSON.stringify(index ?? null)} started; expected block ${this.#blocks.length}`,
      ); // M2
    }
    if (index === MOST_BLOCKS) throw this.#fail(`more than ${MOST_BLOCKS} blocks in one reply`); // M6
    if (start === undefined || !isJsonObject(start)) throw this.#fail(`block ${index} has no content`);
    const { text, thinking, signature, citations } = start;
    const block: WireBlock = {
      start,
      text: '',
      json: '',
      signature: textOf(signature),
      citations: citations !== undefined && isJsonArray(citations) ? [...citations] : [],
      closed: false,
    };
    this.#blocks.push(block);
    this.#say(start['type'] === 'thinking' ? 'thinking' : 'text', block, textOf(text) + textOf(thinking));
  }

  #openBlock(event: string, index: JsonValue | undefined): WireBlock {
    const block = typeof index === 'number' ? this.#blocks[index] : undefined;
    if (block === undefined || block.closed) {
      throw this.#fail(`\`${event}\` for block ${JSON.stringify(index ?? null)}, which is not open`); // M2
    }
    return block;
  }

  #change(index: JsonValue | undefined, delta: JsonValue | undefined): void {
    this.#checkPlace('content_block_delta');
    const block = this.#openBlock('content_block_delta', index);
    if (delta === undefined || !isJsonObject(delta)) return;
    switch (textOf(delta['type'])) {
      case 'text_delta':
        this.#say('text', block, textOf(delta['text']));
        break;
      case 'thinking_delta':
        this.#say('thinking', block, textOf(delta['thinking']));
        break;
      case 'input_json_delta':
        this.#say('json', block, textOf(delta['partial_json']));
        break;
      case 'signature_delta':
        block.signature += textOf(delta['signature']);
        break;
      case 'citations_delta':
        if (delta['citation'] !== undefined) block.citations.push(delta['citation']);
        break;
      default: // M5
    }
  }

  #say(type: BlockDelta['type'], block: WireBlock, text: string): void {
    if (text === '') return;
    if (type === 'json') block.json += text;
    else block.text += text;
    const last = this.#news.at(-1);
    if (last?.block === block && last.type === type) last.text += text;
    else this.#news.push({ type, block, text });
  }

  #close(index: JsonValue | undefined): void {
    if (!this.#started) throw this.#fail('`content_block_stop` before `message_start`'); // M1
    const block = this.#openBlock('content_block_stop', index);
    block.closed = true;
    this.#news.push({ type: 'closed', block, text: '' });
  }

  #conclude({ delta, usage }: JsonObject): void {
    if (!this.#started) throw this.#fail('`message_delta` before `message_start`'); // M1
    const reason = delta !== undefined && isJsonObject(delta) ? delta['stop_reason'] : undefined;
    if (typeof reason === 'string') {
      const other = this.#stopReason !== undefined && this.#stopReason !== reason;
      if (other) throw this.#fail(`two stop reasons: \`${this.#stopReason ?? ''}\` and \`${reason}\``);
      this.#stopReason = reason;
    }
    if (reason === 'refusal') this.#refusal = refusalIn(delta);
    this.#counts = mergeCounts(this.#counts, usage);
  }

  #stop(): void {
    if (!this.#started) throw this.#fail('`message_stop` before `message_start`'); // M1
    if (this.#stopReason === undefined) throw this.#fail('`message_stop` without a stop reason'); // M4
    this.#whole = true;
  }
}
