import { atMost } from '../harness/goals.mjs';
import { cell, figure, table } from '../harness/table.mjs';

const programs = [
  { what: 'chain', name: 'nodes of a graph in a chain, each with an output', size: 10_000 },
  { what: 'chainWithoutOutputs', name: 'nodes in a chain, outputs not in the state', size: 10_000 },
  { what: 'map', name: 'branches of a map, 50 at once', size: 1000 },
  { what: 'interrupts', name: 'open interrupts, answered in random order', size: 1000 },
  { what: 'questions', name: 'open questions of branches, answered in random order', size: 1000 },
  { what: 'queue', name: 'messages sent to a session and delivered', size: 10_000, boxes: 3 },
  { what: 'messages', name: 'messages of a chat, one after the other', size: 3000 },
  { what: 'sessions', name: 'sessions in a store, listed without and with an index', size: 10_000 },
];

const SMALL = 40;

function idOf(name, size) {
  return `${size} ${name}`;
}

/** G: each program at half its size and at its size. */
export function plan({ small }) {
  const sized = programs.map((program) => ({ ...program, size: small ? SMALL : program.size }));
  const measures = sized.flatMap(({ what, name, size, boxes = 1 }) =>
    [size / 2, size].map((count) => ({
      id: idOf(name, count),
      module: 'hitl-scale.mjs',
      params: { what, size: count },
      boxes,
    })),
  );
  return {
    measures,
    report: (measured) => ({ text: textOf(measured, sized), goals: goalsOf(measured, sized) }),
  };
}

function textOf(measured, sized) {
  const rows = sized.map(({ name, size }) => {
    const [half, whole] = [idOf(name, size / 2), idOf(name, size)];
    return [
      name,
      `${size / 2} → ${size}`,
      cell(measured, half, 'ms'),
      cell(measured, whole, 'ms'),
      figure(measured.ratio(whole, 'ms', half)),
      figure(measured.of(half, 'cpuMs')?.median),
      figure(measured.of(whole, 'cpuMs')?.median),
      figure(measured.ratio(whole, 'cpuMs', half)),
      figure(measured.of(half, 'peakMb')?.median),
      figure(measured.of(whole, 'peakMb')?.median),
    ];
  });
  const head = [
    '',
    'size',
    'ms, half',
    'ms',
    'times',
    'processor ms, half',
    'processor ms',
    'times',
    'peak MB, half',
    'peak MB',
  ];
  return table([head, ...rows]);
}

/** Growth is judged by the processor’s time, which other work on the machine changes least. */
function goalsOf(measured, sized) {
  return sized.flatMap(({ name, size }) => [
    atMost(`${name}: twice as many`, measured.ratio(idOf(name, size), 'cpuMs', idOf(name, size / 2)), 2.3),
    atMost(`${name}: peak MB`, measured.of(idOf(name, size), 'peakMb')?.median, 300),
  ]);
}
