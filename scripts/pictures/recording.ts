// The recording at the top of the README: a question outlives its process, and is answered from a second terminal.
import type { Frame } from './recording-svg.js';
import { plainRow, recordingOf } from './recording-svg.js';
import { Screen } from './screen.js';
import { Stage } from './stage.js';
import { rowsOf } from './svg.js';

const TITLE =
  'A tool asks for approval; the process is killed; the question waits, is answered from a second terminal, and the session goes on';
const SIZE = { columns: 80, rows: 20 };
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
  using first = await play(ask, 'Your decision:');
  add(4, FIRST, shown(asking, first));
  const { pid } = first;
  first.kill();
  add(3, FIRST, [...shown(asking, first), plainRow('Killed', 'red'), plainRow('$', 'bold')]);

  add(1.5, SECOND, [plainRow('$ hitl inbox', 'bold')]);
  using inbox = await play(['inbox'], /confirmation/u);
  add(3.5, SECOND, shown('hitl inbox', inbox));
  const id = /\b01[0-9a-z]{14}\b/u.exec(inbox.shown)?.[0] ?? '';
  if (id === '' || pid === 0) throw new Error(`nothing waits on:\n${inbox.shown}`);
  const answering = 'hitl answer 01k2m3n4p5q6r7s8 y';
  using answer = await play(['answer', id, 'y'], 'Give this answer?');
  add(4, SECOND, [...shown('hitl inbox', inbox), ...shown(answering, answer)]);
  await answer.press('y');
  await answer.until('recorded');
  add(3, SECOND, [...shown('hitl inbox', inbox), ...shown(answering, answer)]);

  using rest = await play(['resume', '--last', '--print'], 'The balance is now');
  add(6, FIRST, shown('hitl resume --last --print', rest));
  return recordingOf(frames, { title: TITLE, columns: SIZE.columns });
}
