import { atMost } from '../harness/goals.mjs';
import { cell, figure, table } from '../harness/table.mjs';

const APPEND = 'bare, append and fdatasync';
const REWRITE = 'bare, rewrite and fsync';
const DURABLE = 'hitl, durable at every step';

const own = [
  { name: 'bare, in memory', module: 'floor-cycles.mjs', params: { how: 'memory' } },
  { name: APPEND, module: 'floor-cycles.mjs', params: { how: 'append' }, onDisk: true },
  { name: REWRITE, module: 'floor-cycles.mjs', params: { how: 'rewrite' }, onDisk: true },
  { name: 'hitl, without sync', module: 'hitl-cycles.mjs', params: { flush: false } },
  { name: DURABLE, module: 'hitl-cycles.mjs', params: { flush: true }, onDisk: true },
];

const peers = [
  ['AI SDK, memory', 'ai-sdk', false],
  ['AI SDK, file', 'ai-sdk', true],
  ['Genkit, memory', 'genkit', false],
  ['Genkit, file', 'genkit', true],
  ['OpenAI Agents, memory', 'openai-agents', false],
  ['OpenAI Agents, file', 'openai-agents', true],
  ['ADK, memory', 'adk', false],
  ['LangGraph, memory', 'langgraph', false],
  ['LangGraph, SQLite', 'langgraph', true],
  ['Mastra, memory', 'mastra', false],
  ['Mastra, libSQL', 'mastra', true],
].map(([name, peer, saved]) => ({
  name,
  module: 'peer.mjs',
  params: { peer, section: 'cycles', saved },
  isPeer: true,
  onDisk: saved,
}));

/** What a cycle costs: number, heading. */
const COLUMNS = [
  ['cpuMsPerCycle', 'processor ms'],
  ['first', 'first'],
  ['middle', 'middle'],
  ['last', 'last'],
  ['kbPerCycle', 'kB a cycle'],
  ['peakMb', 'peak MB'],
];

/** Section B: a question, its answer, and on to the next question; then the same with answers of 10 kB. */
export function plan({ peers: withPeers, small }) {
  const contenders = withPeers ? [...own, ...peers] : own;
  const runs = {
    short: { contenders, cycles: small ? 10 : 100 },
    long: { contenders: own.filter(({ name }) => name !== REWRITE), cycles: small ? 30 : 3000 },
    big: { contenders, cycles: small ? 10 : 300, bytes: 10_000 },
  };
  const measures = Object.values(runs).flatMap((run) =>
    run.contenders.map(({ name, module, params, isPeer }) => ({
      id: idOf(name, run),
      module,
      params: { ...params, cycles: run.cycles, bytes: run.bytes },
      // A peer with long answers takes long, and says in one round what it has to say.
      ...(isPeer && run.bytes !== undefined && { rounds: 1 }),
    })),
  );
  const counted = contenders
    .filter(({ onDisk }) => onDisk)
    .map(({ name, module, params }) => ({
      id: syncsId(name),
      module: 'syncs.mjs',
      params: { module, params },
      rounds: 1,
    }));
  return {
    measures: [...measures, ...counted],
    report: (measured) => ({ text: textOf(measured, runs), goals: goalsOf(measured, runs, withPeers) }),
  };
}

function idOf(name, { cycles, bytes }) {
  return bytes === undefined ? `${name}, ${cycles} cycles` : `${name}, ${cycles} cycles of ${bytes} bytes`;
}

function syncsId(name) {
  return `${name}, counted syncs`;
}

/** Counted by the system where it counts, else as often as our own disk was asked; rounded to tenths. */
function syncsOf(measured, name, run) {
  const numbers =
    measured.of(syncsId(name), 'syncsPerCycle') ?? measured.of(idOf(name, run), 'flushesPerCycle');
  return numbers === undefined ? undefined : Math.round(numbers.median * 10) / 10;
}

function textOf(measured, runs) {
  return Object.values(runs)
    .map((run) => {
      const { cycles, bytes } = run;
      const title =
        bytes === undefined ? `${cycles} cycles:` : `${cycles} cycles, each answer ${bytes} bytes:`;
      return `${title}\n\n${cyclesTable(measured, run)}`;
    })
    .join('\n\n');
}

function cyclesTable(measured, run) {
  const rows = run.contenders.map(({ name, onDisk }) => {
    const id = idOf(name, run);
    return [
      name,
      cell(measured, id, 'msPerCycle'),
      figure(measured.ratio(id, 'msPerCycle', idOf(APPEND, run))),
      ...COLUMNS.map(([key]) => figure(measured.of(id, key)?.median)),
      onDisk ? (measured.failure(syncsId(name)) ?? figure(syncsOf(measured, name, run))) : '0',
    ];
  });
  return table([
    ['', 'ms a cycle', 'over append', ...COLUMNS.map(([, heading]) => heading), 'syncs'],
    ...rows,
  ]);
}

/** How much slower than a peer with a database ours may be; one that only writes a file, and syncs nothing, may be ahead. */
const SLOWER_BY = { 'LangGraph, SQLite': 0.2, 'Mastra, libSQL': 0.2 };

function goalsOf(measured, { short, long, big }, withPeers) {
  const [brief, lasting, bulky] = [short, long, big].map((run) => idOf(DURABLE, run));
  const flat = (key) => measured.ratio(lasting, key, brief);
  const longer = `${long.cycles} over ${short.cycles} cycles`;
  const saved = withPeers ? peers.filter(({ onDisk }) => onDisk) : [];
  return [
    atMost(
      'durable cycle over append and fdatasync',
      measured.ratio(brief, 'msPerCycle', idOf(APPEND, short)),
      4.5,
    ),
    atMost(
      `durable cycle over append and fdatasync, ${long.cycles} cycles`,
      measured.ratio(lasting, 'msPerCycle', idOf(APPEND, long)),
      3,
    ),
    atMost('syncs a cycle', syncsOf(measured, DURABLE, short), 3),
    ...saved.flatMap(({ name }) => [
      atMost(
        `durable cycle over ${name}`,
        measured.ratio(brief, 'msPerCycle', idOf(name, short)),
        SLOWER_BY[name] ?? 1.3,
      ),
      atMost(
        `durable cycle with answers of 10 kB over ${name}`,
        measured.ratio(bulky, 'msPerCycle', idOf(name, big)),
        1,
      ),
    ]),
    atMost(`ms a cycle, ${longer}`, flat('msPerCycle'), 1.2),
    atMost(`processor ms a cycle, ${longer}`, flat('cpuMsPerCycle'), 1.2),
    atMost(`bytes a cycle, ${longer}`, flat('kbPerCycle'), 1.02),
    atMost(
      'bytes a cycle over its own content',
      measured.ratio(brief, 'kbPerCycle', idOf(APPEND, short)),
      11,
    ),
    atMost('B2: last tenth of the cycles over the first', measured.of(bulky, 'wallGrowth')?.median, 1.2),
  ];
}
