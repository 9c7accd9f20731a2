// Invariants:
// B1 What an agent prints is bounded: a line, the lines that are no messages, and what one turn says.
// B2 A response counts once, for a request of ours that is open; a request of the agent counts while no other has its id.
//    Everything else reaches nobody.
import type { JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonObject, parseStrictJson } from '../../core/index.js';

/**
 * Maximum size of a message. Allows for the largest writable file, even if encoding doubles the length of its
 * text.
 */
const MOST_BYTES = 16 * 1024 * 1024;
/** Maximum number of lines that are not protocol messages, such as output of a startup script. */
const MOST_JUNK = 1_000;

/** @throws HitlError MODEL_FAILED */
export function tooMuch(what: string): HitlError {
  return new HitlError('MODEL_FAILED', `the agent sent too much data: ${what}`, {
    hint: 'the agent was stopped; the session is saved and can be resumed',
  });
}

/** Splits an agent's output into lines. */
export class AgentLines {
  readonly #decoder = new TextDecoder();
  #rest = '';

  /**
   * Returns the lines that are now complete.
   * @throws HitlError MODEL_FAILED if a line is too long (B1)
   */
  push(chunk: Uint8Array): readonly string[] {
    const lines = `${this.#rest}${this.#decoder.decode(chunk, { stream: true })}`.split('\n');
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MOST_BYTES) throw tooMuch('a message without end');
    return lines;
  }
}

/** A valid message. */
export type Incoming =
  | { readonly type: 'notification'; readonly method: string; readonly params: JsonValue }
  | { readonly type: 'message'; readonly message: JsonObject };

/** Validates the messages exchanged between an agent and its client. */
export class Traffic {
  /** Ids of open requests from hitl, and of open requests from the agent. */
  readonly #ours = new Set<JsonValue>();
  readonly #theirs = new Set<JsonValue>();
  #junk = 0;

  /** Records a message that hitl has sent. */
  sent(message: object): void {
    const { id, method } = membersOfMessage(message);
    if (id === undefined) return;
    if (method === undefined) this.#theirs.delete(id);
    else this.#ours.add(id);
  }

  /**
   * Parses a line. Returns `undefined` if it is not a valid message (B2).
   * @throws HitlError if there are too many invalid lines or a line is too long (B1)
   */
  read(line: string): Incoming | undefined {
    if (line.trim() === '') return undefined;
    if (line.length > MOST_BYTES) throw tooMuch('a message that is too long');
    const read = parseStrictJson(line);
    if (!read.ok || !isJsonObject(read.value) || read.value['jsonrpc'] !== '2.0') return this.#skip();
    const { id, method, params = null } = read.value;
    if (id === undefined)
      return typeof method === 'string' ? { type: 'notification', method, params } : this.#skip();
    if (typeof id !== 'string' && typeof id !== 'number') return this.#skip();
    if (method === undefined) {
      if (!this.#ours.delete(id)) return this.#skip();
    } else {
      if (typeof method !== 'string' || this.#theirs.has(id)) return this.#skip();
      this.#theirs.add(id);
    }
    return { type: 'message', message: read.value };
  }

  #skip(): Incoming | undefined {
    this.#junk += 1;
    if (this.#junk > MOST_JUNK) throw tooMuch('lines that are not protocol messages');
    return undefined;
  }
}

function membersOfMessage(message: object): {
  readonly id?: string | number;
  readonly method?: unknown;
} {
  const { id, method }: { readonly id?: unknown; readonly method?: unknown } = message;
  return {
    ...((typeof id === 'string' || typeof id === 'number') && { id }),
    ...(method !== undefined && { method }),
  };
}
