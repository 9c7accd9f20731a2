import type { JsonValue, TranscriptMessage } from '../core/index.js';
import { canonicalJson, HitlError, hmacSha256, isJsonObject, isSameText, sha256 } from '../core/index.js';

// Invariants:
// S1 A signature covers its message, the place of it, all messages before it, and the name of the conversation.
// S2 Words of the user need no signature where they stand behind all that has one; before that they are covered.
// S3 Whatever goes back to a caller is signed: responses, and the messages of failures.

/** A secret of at least 32 bytes. A string is encoded as UTF-8. */
export type SigningKey = string | Uint8Array;

/**
 * Options for signing histories that are stored elsewhere between requests, such as in a browser or a queue.
 */
export interface Signing {
  /**
   * One or more keys. The first one signs, and signatures with any of them are accepted, so that keys can be
   * rotated.
   */
  readonly key: SigningKey | readonly SigningKey[];
  /** Whether to accept histories without any signatures while you introduce signing. Default: false. */
  readonly acceptUnsigned?: boolean;
  /**
   * Records a signature and returns true if it is new, like `SET … NX` in a database. Called once per
   * answered turn, after validation. By default, a history can be answered repeatedly, with the same
   * idempotency keys.
   */
  readonly firstUse?: (signature: string) => boolean | Promise<boolean>;
}

const LEAST_BYTES = 32;

/** Signs and verifies histories. */
export class HistorySigner {
  readonly #keys: readonly SigningKey[];
  readonly #signing: Signing;
  readonly #run: string;

  /**
   * @param run the caller's name for the conversation; a history is not valid for any other.
   * @throws HitlError BAD_CONFIG for an invalid or short key.
   */
  constructor(signing: Signing, run = '') {
    this.#keys = keysOf(signing);
    this.#signing = signing;
    this.#run = run;
  }

  /** Signs all messages except user messages. */
  signed(messages: readonly TranscriptMessage[]): readonly TranscriptMessage[] {
    const [key = ''] = this.#keys;
    return this.#texts(messages).map(({ text, message }) => {
      if (message.role === 'user') return message;
      const { metadata = {} } = message;
      const ours = isJsonObject(metadata['hitl']) ? metadata['hitl'] : {};
      return { ...message, metadata: { ...metadata, hitl: { ...ours, signature: hmacSha256(key, text) } } };
    });
  }

  /**
   * Verifies the signatures of a history.
   * @throws HitlError BAD_TRANSCRIPT if a message is unsigned or was changed
   */
  check(messages: readonly TranscriptMessage[]): void {
    const signatures = messages.map(signatureOf);
    const isUnsigned = signatures.every((signature) => signature === undefined);
    if (isUnsigned && this.#signing.acceptUnsigned === true) return;
    for (const [index, { text, message }] of this.#texts(messages).entries()) {
      if (message.role === 'user') continue;
      const signature = signatures[index];
      if (signature === undefined) throw refused(`\`messages[${index}]\` is not signed`);
      if (!this.#keys.some((key) => isSameText(hmacSha256(key, text), signature)))
        throw refused(`\`messages[${index}]\`, or a message before it, differs from what was signed`);
    }
  }

  /**
   * Marks the signature of the answered calls as used.
   * @throws HitlError ALREADY_ANSWERED if it has already been used.
   */
  async spend(messages: readonly TranscriptMessage[]): Promise<void> {
    const last = messages.at(-1);
    const signature = last === undefined ? undefined : signatureOf(last);
    const { firstUse } = this.#signing;
    if (signature === undefined || firstUse === undefined || (await firstUse(signature))) return;
    throw new HitlError('ALREADY_ANSWERED', 'these calls were already answered', {
      hint: 'continue with the messages from the response to that answer',
    });
  }

  /** Returns the text to sign for each message, and the message without its signature (S1). */
  #texts(messages: readonly TranscriptMessage[]): readonly { text: string; message: TranscriptMessage }[] {
    let before = '';
    return messages.map((given, index) => {
      const message = unsigned(given);
      const text = canonicalJson(['hitl-history-1', this.#run, index, before, asJson(message)]);
      before = sha256(text);
      return { text, message };
    });
  }
}

function refused(why: string): HitlError {
  return new HitlError('BAD_TRANSCRIPT', `this history is not authentic: ${why}`, {
    hint: 'pass the `messages` of the last response back unchanged; append new user messages, or use `prompt`',
  });
}

function keysOf({ key }: Signing): readonly SigningKey[] {
  const keys: readonly unknown[] = Array.isArray(key) ? key : [key];
  const good = keys.filter((one): one is SigningKey => typeof one === 'string' || one instanceof Uint8Array);
  if (good.length > 0 && good.length === keys.length && good.every(isLongEnough)) return good;
  throw new HitlError('BAD_CONFIG', `\`signing.key\` must be a secret of at least ${LEAST_BYTES} bytes`, {
    hint: 'create one with `openssl rand -base64 48`, and keep it on the server',
  });
}

function isLongEnough(key: SigningKey): boolean {
  return (typeof key === 'string' ? new TextEncoder().encode(key) : key).length >= LEAST_BYTES;
}

function signatureOf({ metadata }: TranscriptMessage): string | undefined {
  const ours = metadata?.['hitl'];
  const signature = isJsonObject(ours) ? ours['signature'] : undefined;
  return typeof signature === 'string' ? signature : undefined;
}

/** Removes the signature and any properties that become empty. */
function unsigned(message: TranscriptMessage): TranscriptMessage {
  const { metadata, ...rest } = message;
  if (metadata === undefined || !isJsonObject(metadata['hitl'])) return message;
  const { hitl, ...own } = metadata;
  const { signature: _signature, ...ours } = isJsonObject(hitl) ? hitl : {};
  const kept = { ...own, ...(Object.keys(ours).length > 0 && { hitl: ours }) };
  return Object.keys(kept).length === 0 ? rest : { ...rest, metadata: kept };
}

/** Returns a validated message as JSON, without converting it. */
function asJson(message: TranscriptMessage): JsonValue;
function asJson(message: unknown): unknown {
  return message;
}
