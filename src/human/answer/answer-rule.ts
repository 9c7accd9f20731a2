import type { AnswerMatch, Interrupt, JsonValue } from '../../core/index.js';
import { isJsonArray, isJsonObject, jsonEquals } from '../../core/index.js';
import { namesInterrupt } from './answer-target.js';

export interface AnswerRule {
  readonly match: AnswerMatch;
  /** A resolution, an answer line, or, for a question, the answer itself. */
  readonly answer: JsonValue;
  /** Number of times that the answer can be used. */
  readonly times: number | 'any';
  readonly place: string;
}

/** Whether a value contains everything in a pattern. */
function fitsPattern(value: JsonValue | undefined, pattern: JsonValue): boolean {
  if (value === undefined) return false;
  if (isJsonArray(pattern)) {
    return (
      isJsonArray(value) &&
      value.length === pattern.length &&
      pattern.every((item, at) => fitsPattern(value[at], item))
    );
  }
  if (!isJsonObject(pattern)) return jsonEquals(value, pattern);
  return (
    isJsonObject(value) &&
    Object.entries(pattern).every(
      ([key, member]) => Object.hasOwn(value, key) && fitsPattern(value[key], member),
    )
  );
}

function fits(match: AnswerMatch, { id, kind, source }: Interrupt, session: string | undefined): boolean {
  if (match.kind !== undefined && match.kind !== kind) return false;
  if (match.interrupt !== undefined && !namesInterrupt(match.interrupt, id)) return false;
  if (match.session !== undefined && session?.startsWith(match.session) !== true) return false;
  if (match.tool !== undefined && !(source.type === 'tool' && source.name === match.tool)) return false;
  return match.input === undefined || (source.type === 'tool' && fitsPattern(source.input, match.input));
}

/** The entries of an answers file, and how often each has been used. */
export class AnswerBook {
  readonly #entries: readonly { readonly rule: AnswerRule; readonly seen: Set<string>; used: number }[];
  readonly #session: string | undefined;

  /** `session` is the session ID that entries are matched against. */
  constructor(rules: readonly AnswerRule[], session: string | undefined) {
    this.#entries = rules.map((rule) => ({ rule, seen: new Set(), used: 0 }));
    this.#session = session;
  }

  /**
   * Returns the first open interrupt, in source order, that an entry can answer, along with the entry. Marks
   * the entry as used once more.
   */
  take(open: readonly Interrupt[]): { readonly interrupt: Interrupt; readonly rule: AnswerRule } | undefined {
    this.#count(open);
    for (const interrupt of open) {
      const entry = this.#entries.find(({ rule, seen, used }) => {
        if (!seen.has(interrupt.id) || (rule.times !== 'any' && used >= rule.times)) return false;
        return rule.match.nth === undefined || [...seen].indexOf(interrupt.id) === rule.match.nth - 1;
      });
      if (entry !== undefined) {
        entry.used += 1;
        return { interrupt, rule: entry.rule };
      }
    }
    return undefined;
  }

  /** Counts each interrupt once for `nth`, no matter how often it is asked. */
  #count(open: readonly Interrupt[]): void {
    for (const interrupt of open) {
      for (const { rule, seen } of this.#entries) {
        if (fits(rule.match, interrupt, this.#session)) seen.add(interrupt.id);
      }
    }
  }

  /** Returns the entries that were used less often than specified; `any` means at least once. */
  unused(): readonly AnswerRule[] {
    return this.#entries
      .filter(({ rule, used }) => used < (rule.times === 'any' ? 1 : rule.times))
      .map(({ rule }) => rule);
  }
}
