import { escapeText, parseStrictJson } from '../../core/index.js';
import type { Warning } from './finding.js';

/**
 * Warns about deceptive content in a model's JSON text that parsing would hide: duplicate keys and rounded
 * numbers. Returns no warnings if the text is invalid for another reason.
 */
export function rawJsonWarnings(raw: string): readonly Warning[] {
  const parsed = parseStrictJson(raw);
  if (parsed.ok) {
    return parsed.warnings.map(({ message }) => ({
      kind: 'precision',
      message: escapeText(message),
      place: '',
    }));
  }
  if (parsed.problem !== 'duplicate-key') return [];
  return [
    {
      kind: 'duplicate-key',
      message: `${escapeText(parsed.message)}; parsers disagree on which value wins`,
      place: '',
    },
  ];
}
