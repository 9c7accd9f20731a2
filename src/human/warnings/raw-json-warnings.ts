import { escapeText, parseStrictJson } from '../../core/index.js';
import type { Warning } from './finding.js';

/**
 * Warns of what could deceive in JSON text as a model wrote it, and cannot be seen in the value any more: a key that is
 * there twice, a number that is rounded when it is read. Text that is refused for another reason has no warnings.
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
