import type { InterruptId } from '../data/ids.js';
import type { JsonValue } from '../data/json.js';
import { isJsonArray, jsonEquals } from '../data/json.js';
import type { Part } from '../data/message.js';
import { SECRET } from './masked.js';
import { memberAt, withMemberAt } from './places.js';

// Invariants:
// V1 A value is found by the question that it answered and by its place in that answer, and by nothing that stands in
//    data: no text of a model, a file or another session leads to one.
// V2 A vault is in memory and nowhere else; it has no form that could be written.

/** Location of the secrets in an answer: the question, and the paths of the secrets. */
export interface SecretsOf {
  readonly interrupt: InterruptId;
  /**
   * The value that contains the secrets: an output, an edited input or a value passed to a tool or workflow.
   */
  readonly of: SecretMember;
  /** JSON pointers to the masked secrets. */
  readonly at: readonly string[];
}

/** Properties of a resolution that may contain secrets. */
export type SecretMember = 'output' | 'input' | 'metadata';

/**
 * Minimum length of a secret that is masked inside other text. Shorter ones occur inside many words, so they
 * are masked only as whole strings.
 */
const SHORTEST = 4;

/** Secrets that people typed, kept only in the memory of the run that needs them. */
export class SecretVault {
  readonly #values = new Map<string, JsonValue>();
  #texts: readonly string[] = [];

  /**
   * Stores a secret from an answer.
   * @param place its location in the resolution: `/input/token`
   */
  keep(interrupt: InterruptId, place: string, value: JsonValue): void {
    this.#values.set(`${interrupt} ${place}`, value);
    const texts = new Set([...this.#texts, ...textsIn(value).flatMap(formsOf)]);
    this.#texts = [...texts].sort((left, right) => right.length - left.length); // one may be part of another
  }

  /** Returns the paths of secrets that are missing here because they were typed in another process. */
  missing({ at, ...of }: SecretsOf): readonly string[] {
    return at.filter((place) => !this.#values.has(keyOf(of, place)));
  }

  /** Returns a secret; `undefined` if it is missing. */
  value(of: Omit<SecretsOf, 'at'>, place: string): JsonValue | undefined {
    return this.#values.get(keyOf(of, place));
  }

  /** Returns a value with its secrets filled in, for the code that uses it; `undefined` if one is missing. */
  reveal(value: JsonValue, { at, ...of }: SecretsOf): JsonValue | undefined {
    let whole = value;
    for (const place of at) {
      const secret = this.value(of, place);
      if (secret === undefined || memberAt(whole, place) === undefined) return undefined;
      whole = withMemberAt(whole, place, secret);
    }
    return whole;
  }

  /** Returns text with known secrets masked. */
  maskText(text: string): string {
    if (this.#values.size === 0) return text;
    if (this.#isSecret(text)) return SECRET;
    return this.#texts.reduce((masked, secret) => masked.replaceAll(secret, SECRET), text);
  }

  /**
   * Masks known secrets in a value, including those inside strings. Returns the same value if there are none.
   */
  mask<Value>(value: Value): Value;
  mask(value: unknown): unknown {
    if (this.#values.size === 0) return value;
    if (typeof value === 'string') return this.maskText(value);
    if (typeof value === 'number')
      return String(value).length >= SHORTEST && this.#isSecret(value) ? SECRET : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item: unknown) => this.mask(item));
    return this.#maskMembers(value);
  }

  /** Masks the parts of a message without changing their types. */
  maskParts(parts: readonly Part[]): readonly Part[] {
    return this.#values.size === 0 ? parts : parts.map((part) => this.#maskMembers(part, 'type'));
  }

  #maskMembers<Value extends object>(value: Value, kept?: string): Value;
  #maskMembers(value: object, kept?: string): unknown {
    return Object.fromEntries(
      Object.entries(value).map(([key, member]: [string, unknown]) =>
        key === kept ? [key, member] : [this.maskText(key), this.mask(member)],
      ),
    );
  }

  #isSecret(value: string | number): boolean {
    return [...this.#values.values()].some((secret) => value !== '' && jsonEquals(secret, value));
  }
}

function keyOf({ interrupt, of }: Omit<SecretsOf, 'at'>, place: string): string {
  return `${interrupt} /${of}${place}`;
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return (isJsonArray(value) ? value : Object.values(value)).flatMap(textsIn);
}

/** Returns the forms in which a secret may be repeated: as plain text, in JSON, in a URL, or as base64. */
function formsOf(secret: string): readonly string[] {
  if (secret.length < SHORTEST) return [];
  const forms = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    Buffer.from(secret).toString('base64').replace(/=+$/u, ''),
  ];
  return [...new Set(forms)];
}
