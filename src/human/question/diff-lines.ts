import type { Diff, DiffLine } from '../../core/index.js';
import { escapeText, withContext } from '../../core/index.js';
import type { QuestionLine } from '../values/index.js';
import { GUTTER } from '../values/index.js';

const SIGNS = { same: ' ', removed: '−', added: '+', gap: ' ' } as const;
const TONES = { same: 'quoted', removed: 'removed', added: 'added', gap: 'own' } as const;

/** A change as lines with their numbers; `context` unchanged lines around each change. */
export function diffLines(diff: Diff, context: number): readonly QuestionLine[] {
  const lines = withContext(diff.lines, context);
  const width = Math.max(0, ...lines.map(({ number = 0 }) => String(number).length));
  return lines.map((line) => shownLine(line, width));
}

function shownLine({ type, text, number }: DiffLine, width: number): QuestionLine {
  const at = number === undefined ? '⋯' : String(number);
  return {
    part: 'diff',
    tone: TONES[type],
    gutter: GUTTER,
    label: `${at.padStart(width)} ${SIGNS[type]} `,
    text: escapeText(text),
  };
}
