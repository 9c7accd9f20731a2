import type { TerminalTheme } from '../device/theme.js';
import type { QuestionLine } from '../values/text-line.js';

type Paint = (text: string) => string;

/** A row of a line in its colours: the code in those of its kind, and what changed set off from the rest. */
export function paintedRow(
  row: { readonly text: string; readonly start: number },
  { code = [], changed = [] }: QuestionLine,
  theme: TerminalTheme,
  base: Paint,
): string {
  const { syntax, changed: setOff } = theme;
  if (row.text === '' || ((syntax === undefined || code.length === 0) && changed.length === 0))
    return base(row.text);
  const end = row.start + row.text.length;
  const places = [...code, ...changed].flatMap((span) => [span.start, span.end]);
  const cuts = [...new Set([row.start, end, ...places])]
    .filter((place) => place >= row.start && place <= end)
    .sort((left, right) => left - right);
  return cuts
    .slice(0, -1)
    .map((from, index) => {
      const to = cuts[index + 1] ?? end;
      const text = row.text.slice(from - row.start, to - row.start);
      const covers = (span: { readonly start: number; readonly end: number }): boolean =>
        span.start <= from && span.end >= to;
      if (setOff !== undefined && changed.some(covers)) return setOff(base(text));
      const kind = code.find(covers)?.kind;
      if (syntax === undefined || code.length === 0) return base(text);
      return kind === undefined ? text : syntax[kind](text);
    })
    .join('');
}
