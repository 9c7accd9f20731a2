import { atLeast, atMost } from '../harness/goals.mjs';
import { cell, figure, table } from '../harness/table.mjs';

/** How often a terminal is to be written to at most, in milliseconds. */
const FRAME_MS = 16;

const streams = [
  ['prose', 'words'],
  ['markdown', 'Markdown with a table and code'],
  ['open', 'a style that is never closed'],
  ['code', 'one long line of code'],
  ['input', 'the input of a tool'],
  ['thinking', 'thoughts'],
  ['wideThinking', 'thoughts in Chinese'],
].map(([stream, what]) => ({ stream, id: `on the terminal, ${what}` }));

/** The second half of D: what a reply costs to show; nothing of it may be left out. */
export function plan({ small }) {
  const deltas = small ? 2000 : 100_000;
  const measures = streams.map(({ stream, id }) => ({
    id,
    module: 'terminal-writes.mjs',
    params: { stream, deltas },
  }));
  return {
    measures,
    report: (measured) => ({ text: textOf(measured, deltas), goals: goalsOf(measured, deltas) }),
  };
}

function textOf(measured, deltas) {
  const rows = streams.map(({ id }) => [
    id,
    cell(measured, id, 'cpuMs'),
    figure(speedOf(measured, id, deltas)),
    figure(measured.of(id, 'writes')?.median),
    figure(measured.of(id, 'bytesOverText')?.median),
  ]);
  const head = [
    `${deltas} deltas`,
    'processor ms',
    'thousand a second',
    'writes',
    'bytes over those of the text',
  ];
  return table([head, ...rows]);
}

/** Thousand deltas a second, on the wall. */
function speedOf(measured, id, deltas) {
  return deltas / measured.of(id, 'ms')?.median;
}

/** Frames are those that were begun, and one for what is left at the end. */
function writesOfFrame(measured, id) {
  const frames = Math.ceil(measured.of(id, 'ms')?.median / FRAME_MS) + 1;
  return measured.of(id, 'writes')?.median / frames;
}

function goalsOf(measured, deltas) {
  const slowest = Math.min(...streams.map(({ id }) => speedOf(measured, id, deltas)));
  const writes = Math.max(...streams.map(({ id }) => writesOfFrame(measured, id)));
  return [
    atLeast('thousand deltas a second shown on a terminal, the slowest stream', slowest, 20),
    atMost(`writes to a terminal in a frame of ${FRAME_MS} ms, the busiest stream`, writes, 1),
  ];
}
