import type { TransientEvent } from '../core/index.js';
import { plainLine } from '../core/index.js';
import { formatDuration } from './time.js';

/** Columns of the latest words of thinking that stand beside what is waited for. */
const LATEST_COLUMNS = 40;
/** Characters of thinking in which its latest words are looked for. */
const TAIL = 400;

/** The start of the latest sentence of thinking, as one safe line. */
export function latestWords(thinking: string): string {
  const tail = thinking.slice(-TAIL).trimEnd();
  const start = Math.max(tail.lastIndexOf('\n'), tail.lastIndexOf('. ') + 1, 0);
  return plainLine(tail.slice(start).trim(), LATEST_COLUMNS);
}

/** Thinking that took less is not told; the transcript has it. */
const WORTH_TELLING_MS = 1000;

/** A piece of thinking that is over. */
export interface Thought {
  /** The model's words. */
  readonly text: string;
  readonly tookMs: number;
}

/** Thinking of a model as it streams, up to where something else comes. */
export class Thinking {
  readonly #now: () => number;
  #text = '';
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Takes a piece of a stream; gives the thinking that ends with it. What runs inside a node is not told. */
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

  /** Ends the thinking; gives it where there was some. */
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
