import type { Run } from './svg.js';
import { CELL, escaped, MARGIN, rowSvg, STYLE } from './svg.js';

/** One picture of a recording, and how long it is looked at. */
export interface Frame {
  readonly seconds: number;
  /** The terminal that it shows. */
  readonly where: string;
  readonly rows: readonly (readonly Run[])[];
}

/** A row of one look. */
export function plainRow(text: string, style = ''): readonly Run[] {
  return [{ column: 0, style, colour: '', text, width: text.length }];
}

/**
 * Frames as one SVG that plays them in a ring by CSS. Who wants no motion sees the last one, which says how it ended.
 */
export function recordingOf(
  frames: readonly Frame[],
  { title, columns }: { readonly title: string; readonly columns: number },
): string {
  const most = Math.max(...frames.map(({ rows }) => rows.length)) + 2;
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN);
  const height = most * CELL.height + 2 * MARGIN;
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  const begun = frames.map((_, at) => frames.slice(0, at).reduce((sum, { seconds }) => sum + seconds, 0));
  const part = (seconds: number): string => `${Math.round((seconds / total) * 10_000) / 100}%`;
  const rules = frames.map(({ seconds }, at) => {
    const from = begun[at] ?? 0;
    const to = from + seconds;
    const before = from === 0 ? '' : '0%{visibility:hidden}';
    const after = to === total ? '' : `${part(to)}{visibility:hidden}`;
    return `@keyframes f${at}{${before}${part(from)}{visibility:visible}${after}${to === total ? '' : '100%{visibility:hidden}'}}.f${at}{animation:f${at} ${total}s step-end infinite}`;
  });
  const still = frames.slice(0, -1).map((_, at) => `.f${at}`);
  const drawn = frames.map(({ where, rows }, at) => {
    const all = [plainRow(where, 'dim'), [], ...rows];
    return `<g class="f${at}">\n${all
      .map((runs, row) => rowSvg(runs, row))
      .filter((line) => line !== '')
      .join('\n')}\n</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}`,
    ...rules,
    `@media (prefers-reduced-motion:reduce){g{animation:none!important}${still.join(',')}{visibility:hidden}}</style>`,
    `<rect class="frame" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}
