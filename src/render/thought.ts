import type { TransientEvent } from '../core/index.js';
import { plainLine } from '../core/index.js';
import { formatDuration } from './time.js';

/** Maximum width of the latest reasoning shown next to the activity, in columns. */
const LATEST_COLUMNS = 40;
/** Number of characters at the end of the reasoning to search for the latest sentence. */
const TAIL = 400;

/** Returns the start of the latest sentence of the reasoning, as one safe line. */
export function latestWords(thinking: string): string {
  const tail = thinking.slice(-TAIL).trimEnd();
  const start = Math.max(tail.lastIndexOf('\n'), tail.lastIndexOf('. ') + 1, 0);
  return plainLine(tail.slice(start).trim(), LATEST_COLUMNS);
}

/**
 * Minimum duration for reasoning to be shown, in milliseconds. Shorter reasoning appears only in the
 * transcript.
 */
const WORTH_TELLING_MS = 1000;

/** A completed section of reasoning. */
export interface Thought {
  /** Model text. */
  readonly text: string;
  readonly tookMs: number;
}

/** Collects streamed reasoning until other content follows. */
export class Thinking {
  readonly #now: () => number;
  #text = '';
  #since = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * Processes an event of a stream. Returns the reasoning if the event ends it. Ignores runs inside nodes.
   */
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

/** Formats completed reasoning: `thought for 12 s · Ctrl-O shows it`. */
export function thoughtLine({ tookMs }: Thought, unfold: string | undefined): string {
  const how = unfold === undefined ? '' : ` · ${unfold} shows it`;
  return `  thought for ${formatDuration(tookMs)}${how}`;
}
