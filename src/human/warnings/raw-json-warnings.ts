import { escapeText, parseStrictJson } from '../../core/index.js';
import type { Warning } from './finding.js';

/**
 * Warns of deceptive JSON text by a model that parsing hides: a duplicate key, a rounded number. Text refused
 * for another reason has no warnings.
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
