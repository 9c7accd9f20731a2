import { inRounds } from '../harness/rounds.mjs';
import { figure, goal, table } from '../harness/table.mjs';

const programs = [
  { what: 'chain', name: 'graph, nodes in a chain', size: 4000 },
  { what: 'chainWithoutOutputs', name: 'the same, outputs not in the state', size: 10_000 },
  { what: 'map', name: 'graph, branches of a map, 50 at once', size: 1000 },
  { what: 'interrupts', name: 'open interrupts, answered in random order', size: 1000 },
  { what: 'queue', name: 'messages sent to a session and delivered', size: 2000 },
  { what: 'messages', name: 'messages of a chat, one after the other', size: 2000 },
  { what: 'sessions', name: 'sessions in a store, listed without and with an index', size: 10_000 },
];

/** G: each program at half its size and at its size. */
export async function section({ small, rounds, say }) {
  const sized = programs.map((program) => ({ ...program, size: small ? 40 : program.size }));
  const contenders = sized.flatMap(({ what, name, size }) =>
    [size / 2, size].map((count) => ({
      name: `${name} ${count}`,
      module: 'hitl-scale.mjs',
      params: { what, size: count },
    })),
  );
  const measured = await inRounds(contenders, { rounds, say });
  const rows = sized.map(({ name, size }) => {
    const [half, whole] = [`${name} ${size / 2}`, `${name} ${size}`];
    const failure = measured.failure(half) ?? measured.failure(whole);
    if (failure !== undefined) return [name, failure, ...Array(6).fill('-')];
    const of = (contender, key) => figure(measured.of(contender, key)?.median);
    return [
      name,
      `${size / 2} → ${size}`,
      of(half, 'cpuMs'),
      of(whole, 'cpuMs'),
      figure(measured.ratio(whole, 'cpuMs', half)),
      of(whole, 'ms'),
      of(half, 'peakMb'),
      of(whole, 'peakMb'),
    ];
  });
  const head = [
    '',
    'size',
    'processor ms, half',
    'processor ms',
    'times',
    'ms on the wall',
    'peak MB, half',
    'peak MB',
  ];
  const goals = sized.flatMap(({ name, size }) => [
    goal(`${name}, twice as many`, measured.ratio(`${name} ${size}`, 'cpuMs', `${name} ${size / 2}`), 2.3),
    goal(`${name}, peak MB`, measured.of(`${name} ${size}`, 'peakMb')?.median, 300),
  ]);
  return { rounds: measured, text: table([head, ...rows]), goals };
}
