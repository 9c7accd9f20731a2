// The recording at the top of the README: a question outlives its process, and is answered from a second terminal.
import { Screen } from './screen.js';
import { Stage } from './stage.js';
import type { Run } from './svg.js';
import { CELL, escaped, MARGIN, rowsOf, rowSvg, STYLE } from './svg.js';

const TITLE =
  'A tool asks for approval; the process is killed; the question waits, is answered from a second terminal, and the session goes on';
/** A transfer that took a busy machine some time is told with it, and must fit then too. */
const SIZE = { columns: 90, rows: 20 };
const [FIRST, SECOND] = ['the first terminal', 'a second terminal'] as const;

/** Plays it for real, and draws it. */
export async function recording(): Promise<string> {
  using stage = new Stage();
  const frames: Frame[] = [];
  const add = (seconds: number, where: string, rows: Frame['rows']): number =>
    frames.push({ seconds, where, rows });
  const shown = (command: string, screen: Screen): Frame['rows'] => [
    plainRow(`$ ${command}`, 'bold'),
    ...rowsOf(screen),
  ];
  const play = async (args: readonly string[], until: string | RegExp): Promise<Screen> => {
    const screen = new Screen(stage, args, SIZE);
    await screen.until(until);
    return screen;
  };

  const ask = ['chat', 'Transfer 200 to ABC123', '--model', 'demo'];
  const asking = "hitl chat 'Transfer 200 to ABC123' --model demo";
  add(1.5, FIRST, [plainRow(`$ ${asking}`, 'bold')]);
  using first = await play(ask, 'Approve this call?');
  add(4, FIRST, shown(asking, first));
  const { pid } = first;
  first.kill();
  add(3, FIRST, [...shown(asking, first), plainRow('Killed', 'red'), plainRow('$', 'bold')]);

  add(1.5, SECOND, [plainRow('$ hitl inbox', 'bold')]);
  using inbox = await play(['inbox'], /transfers above 100/u);
  add(3.5, SECOND, shown('hitl inbox', inbox));
  const id = /\b01[0-9a-z]{14}\b/u.exec(inbox.shown)?.[0] ?? '';
  if (id === '' || pid === 0) throw new Error(`nothing waits on:\n${inbox.shown}`);
  const answering = 'hitl answer 01k2m3n4p5q6r7s8 y';
  using answer = await play(['answer', id, 'y'], 'Give this answer?');
  add(4, SECOND, [...shown('hitl inbox', inbox), ...shown(answering, answer)]);
  await answer.press('y');
  await answer.until('Approved: ');
  add(3, SECOND, [...shown('hitl inbox', inbox), ...shown(answering, answer)]);

  using rest = await play(['resume', '--last', '--print'], 'The balance is now');
  add(6, FIRST, shown('hitl resume --last --print', rest));
  return recordingOf(frames, { title: TITLE, columns: SIZE.columns });
}

/** One picture of a recording, and how long it is looked at. */
interface Frame {
  readonly seconds: number;
  /** The terminal that it shows. */
  readonly where: string;
  readonly rows: readonly (readonly Run[])[];
}

/** A row of one look. */
function plainRow(text: string, style = ''): readonly Run[] {
  return [{ column: 0, style, colour: '', text, width: text.length }];
}

/**
 * Frames as one SVG that plays them in a ring by CSS. Who wants no motion sees the last one, which says how it ended.
 */
function recordingOf(
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
