import type { TransientEvent } from '../core/index.js';
import { plainLine } from '../core/index.js';
import { formatDuration } from './time.js';

/** Width of the latest reasoning next to the activity. */
const LATEST_COLUMNS = 40;
/** Characters of reasoning searched for its latest words. */
const TAIL = 400;

/** The start of the latest sentence of thinking, as one safe line. */
export function latestWords(thinking: string): string {
  const tail = thinking.slice(-TAIL).trimEnd();
  const start = Math.max(tail.lastIndexOf('\n'), tail.lastIndexOf('. ') + 1, 0);
  return plainLine(tail.slice(start).trim(), LATEST_COLUMNS);
}

/** Shorter reasoning is not shown; the transcript has it. */
const WORTH_TELLING_MS = 1000;

/** A piece of thinking that is over. */
export interface Thought {
  /** Model text. */
  readonly text: string;
  readonly tookMs: number;
}

/** Streamed reasoning, up to the next other content. */
export class Thinking {
  readonly #now: () => number;
  #text = '';
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Adds a piece of a stream; returns the reasoning that ends with it. Ignores runs inside nodes. */
  transient(event: TransientEvent): Thought | undefined {
    if (event.type === 'restarted') {
      this.#text = '';
      return undefined;
    }
    if (event.type !== 'reasoning-delta') return this.end();
    if (event.scope !== undefined) return undefined;
    if (this.#text === '') this.#since = this.#now();
    this.#text += event.text;
    return undefined;
  }

  /** Ends and returns the reasoning, if any. */
  end(): Thought | undefined {
    const text = this.#text;
    this.#text = '';
    const tookMs = this.#now() - this.#since;
    return text.trim() === '' || tookMs < WORTH_TELLING_MS ? undefined : { text, tookMs };
  }
}

/** `thought for 12 s · Ctrl-O shows it` */
export function thoughtLine({ tookMs }: Thought, unfold: string | undefined): string {
  const how = unfold === undefined ? '' : ` · ${unfold} shows it`;
  return `  thought for ${formatDuration(tookMs)}${how}`;
}
