import type { JsonValue } from '../../core/index.js';
import { escapeText, parseStrictJson as parse } from '../../core/index.js';

export type StrictJson =
  | { readonly ok: true; readonly value: JsonValue }
  /** Safe to print in a terminal. */
  | { readonly ok: false; readonly message: string };

/** Parses JSON written by a person or a script; rejects ambiguous JSON. */
export function parseStrictJson(text: string): StrictJson {
  const parsed = parse(text);
  if (parsed.ok) return { ok: true, value: parsed.value };
  return {
    ok: false,
    message: `invalid JSON: ${escapeText(parsed.message)} (character ${parsed.at + 1})`,
  };
}
