// A screen as an SVG picture: text that can be read and copied, in the light or the dark of the page around it.
import type { Screen } from './screen.js';

export const CELL = { width: 8.4, height: 18 } as const;
export const MARGIN = 14;
/** The sixteen colours by their number; the page's own for the light and for the dark. */
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

export const STYLE = `text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328;white-space:pre}
.frame{fill:#ffffff;stroke:#d0d7de}.bold{font-weight:700}.dim{opacity:.62}.italic{font-style:italic}.under{text-decoration:underline}
.red{fill:#b3261e}.green{fill:#116329}.yellow{fill:#7d4e00}.blue{fill:#0550ae}.magenta{fill:#8250df}.cyan{fill:#0b6e79}
.on{fill:#1f2328}.on-red{fill:#b3261e}.on-green{fill:#116329}.reverse{fill:#ffffff}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.frame{fill:#0d1117;stroke:#30363d}
.red{fill:#ff7b72}.green{fill:#7ee787}.yellow{fill:#e3b341}.blue{fill:#79c0ff}.magenta{fill:#d2a8ff}.cyan{fill:#76e3ea}
.on{fill:#e6edf3}.on-red{fill:#ff7b72}.on-green{fill:#7ee787}.reverse{fill:#0d1117}}`;

/** Text of one look in a row. */
export interface Run {
  readonly column: number;
  readonly style: string;
  /** The colour of what stands reversed. */
  readonly colour: string;
  text: string;
  width: number;
}

/** What is never the same twice; in as many columns, but at the end of a row. */
const CHANGING: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/\b\d+\.\d s\b/g, (found) => '0.8 s'.padEnd(found.length)],
  // The demo bank and a change of a file take no time, but on a busy machine.
  [/(?<=^(?: · )?)\d+\.\d s · (?=transferred: |line \d|[\d,]+ bytes)/g, () => ''],
  [/^exit 0/g, (found) => `0.8 s · ${found}`], // a call that took no time to speak of
  [/\b\d{4}-\d{2}-\d{2} \d{2}:\d{2} UTC\b/g, () => '2026-01-31 14:02 UTC'],
  [/\bprocess \d+/g, (found) => `process ${'4242'.padEnd(found.length - 8, '2').slice(0, found.length - 8)}`],
  [/\b01[0-9a-z]{14}\b/g, () => '01k2m3n4p5q6r7s8'],
  [/\([0-9a-f]{8}\)/g, () => '(15408861)'],
];

function unchanging(text: string): string {
  return CHANGING.reduce((shown, [pattern, make]) => shown.replace(pattern, make), text);
}

/** The screen as it stands, without the empty rows at its end. */
export function svgOf(screen: Screen, title: string): string {
  const rows = rowsOf(screen);
  const width = Math.ceil(screen.columns * CELL.width + 2 * MARGIN);
  const height = rows.length * CELL.height + 2 * MARGIN;
  const drawn = rows.map((runs, row) => rowSvg(runs, row)).filter((line) => line !== '');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    `<rect class="frame" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

/** The rows of a screen, cut into what looks alike; the empty ones at its end are left out. */
export function rowsOf(screen: Screen): readonly (readonly Run[])[] {
  const { buffer } = screen;
  const rows = Array.from({ length: screen.rows }, (_, row) => runsOf(screen, buffer.baseY + row));
  return rows.slice(0, rows.findLastIndex((runs) => runs.some(({ text }) => text.trim() !== '')) + 1);
}

function runsOf({ buffer, columns }: Screen, row: number): readonly Run[] {
  const line = buffer.getLine(row);
  const runs: Run[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const colour = cell.isFgPalette() ? (NAMES[cell.getFgColor() % 8] ?? '') : '';
    const style = [
      ...(cell.isBold() === 0 ? [] : ['bold']),
      ...(cell.isDim() === 0 ? [] : ['dim']),
      ...(cell.isItalic() === 0 ? [] : ['italic']),
      ...(cell.isUnderline() === 0 ? [] : ['under']),
      ...(cell.isInverse() === 0 ? (colour === '' ? [] : [colour]) : ['reverse']),
    ].join(' ');
    const text = cell.getChars() === '' ? ' ' : cell.getChars();
    const last = runs.at(-1);
    if (last?.style === style && last.colour === colour) {
      last.text += text;
      last.width += cell.getWidth();
    } else runs.push({ column, style, colour, text, width: cell.getWidth() });
  }
  const end = runs.at(-1);
  if (end?.style === '') {
    const { length } = end.text;
    end.text = end.text.trimEnd();
    end.width -= length - end.text.length; // else the letters that are left are drawn apart
  }
  return runs.map((run) => {
    const text = unchanging(run.text);
    return { ...run, text, width: run.width + text.length - run.text.length };
  });
}

/** Draws one row. */
export function rowSvg(runs: readonly Run[], row: number): string {
  const y = MARGIN + row * CELL.height;
  return runs
    .filter(({ text, style }) => text.trim() !== '' || style.includes('reverse'))
    .map(({ column, style, colour, text, width }) => {
      const x = places(MARGIN + column * CELL.width);
      const on = style.includes('reverse')
        ? `<rect class="on${colour === '' ? '' : `-${colour}`}" x="${x}" y="${y}" width="${places(width * CELL.width)}" height="${CELL.height}"/>`
        : '';
      const names = style === '' ? '' : ` class="${style}"`;
      const length =
        text.trimEnd() === text && text.length > 1 ? ` textLength="${places(width * CELL.width)}"` : '';
      return `${on}<text${names} x="${x}" y="${places(y + 13.5)}"${length}>${escaped(text)}</text>`;
    })
    .join('');
}

function places(number: number): string {
  return String(Math.round(number * 10) / 10);
}

/** A text as it stands in a picture. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
