import type { JsonValue } from '../../core/index.js';
import { isJsonArray } from '../../core/index.js';
import { characterWarnings } from './character-warnings.js';
import { commandWarnings } from './command-warnings.js';
import type { Warning } from './finding.js';
import { excerpt } from './finding.js';
import { isLong } from '../values/fold.js';
import { shownKey, shownNumber } from '../values/value-rows.js';
import { scriptWarnings } from './script-warnings.js';

/** Maximum nesting depth to check. The engine rejects deeper values before asking. */
const MAX_DEPTH = 200;

/** Warns about deceptive content in one text. Returns at most one warning per kind. */
export function textWarnings(text: string, place: string): readonly Warning[] {
  const findings = [...characterWarnings(text), ...scriptWarnings(text), ...commandWarnings(text)];
  if (isLong(text)) findings.push({ kind: 'long', message: `${lengthOf(text)}; check the end too` });
  return findings.map((finding) => ({ ...finding, place }));
}

function lengthOf(text: string): string {
  const lines = text.split('\n').length;
  const characters = `${text.length.toLocaleString('en-US')} characters`;
  return lines === 1 ? characters : `${lines.toLocaleString('en-US')} lines, ${characters}`;
}

/** Warns about deceptive strings, numbers and keys in a JSON value, with their locations. */
export function warningsOf(value: JsonValue, place = '', depth = 0): readonly Warning[] {
  if (typeof value === 'string') return textWarnings(value, place);
  if (typeof value === 'number') return numberWarnings(value, place);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  if (isJsonArray(value))
    return value.flatMap((item, index) => warningsOf(item, `${place}[${index + 1}]`, depth + 1));
  return Object.entries(value).flatMap(([key, member]) => [
    ...textWarnings(key, place === '' ? 'key' : `key of ${place}`),
    ...warningsOf(member, place === '' ? placeOf(key) : `${place}.${placeOf(key)}`, depth + 1),
  ]);
}

/** Formats a key as part of a location. A long key is cut off, because the input already shows it in full. */
function placeOf(key: string): string {
  return key.length > 40 ? `"${excerpt(key).replaceAll('"', '\\u{22}')}"` : shownKey(key);
}

function numberWarnings(value: number, place: string): readonly Warning[] {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return [];
  return [{ kind: 'precision', message: `${shownNumber(value)} loses precision (too large)`, place }];
}

/** Warns about choices that look alike or are empty. The labels must not be escaped. */
export function choiceWarnings(labels: readonly string[]): readonly Warning[] {
  const seen = new Map<string, number>();
  const warnings: Warning[] = [];
  labels.forEach((label, index) => {
    const look = looksLike(label);
    const place = `choice ${index + 1}`;
    const earlier = seen.get(look);
    if (earlier !== undefined) {
      warnings.push({ kind: 'ambiguous-choices', message: `looks like choice ${earlier + 1}`, place });
    } else seen.set(look, index);
    if (look === '') warnings.push({ kind: 'ambiguous-choices', message: 'shows nothing', place });
  });
  return warnings;
}

const unseenPattern = () => /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{M}\p{Z}\u2800]/gu;
/** Maps characters to the lowercase Latin letters that they look like. */
const TWINS: Readonly<Record<string, string>> = {
  '\u0430': 'a',
  '\u0435': 'e',
  '\u043e': 'o',
  '\u0440': 'p',
  '\u0441': 'c',
  '\u0443': 'y',
  '\u0445': 'x',
  '\u0456': 'i',
  '\u0458': 'j',
  '\u0455': 's',
  '\u04bb': 'h',
  '\u0501': 'd',
  '\u051b': 'q',
  '\u051d': 'w',
  '\u03bf': 'o',
  '\u03b1': 'a',
  '\u03bd': 'v',
  '\u03c1': 'p',
  '\u0131': 'i',
  '\u0261': 'g',
  '\u04cf': 'l',
  '\u043a': 'k',
  '\u03ba': 'k',
  '\u0432': 'b',
  '\u043d': 'h',
  '\u043c': 'm',
  '\u0442': 't',
  '0': 'o',
  '1': 'l',
  '|': 'l',
};

/**
 * Returns a label as it appears at a glance. Ignores case, accents, spaces and invisible characters, and
 * replaces lookalike characters.
 */
function looksLike(label: string): string {
  const folded = label.normalize('NFKD').replace(unseenPattern(), '').toLowerCase();
  return Array.from(folded, (character) => TWINS[character] ?? character).join('');
}
