import { inRounds } from '../harness/rounds.mjs';
import { figure, goal, table } from '../harness/table.mjs';

const APPEND = 'bare, append and fdatasync';
const DURABLE = 'hitl, durable at every step';

const own = [
  { name: 'bare, in memory', module: 'floor-cycles.mjs', params: { how: 'memory' } },
  { name: APPEND, module: 'floor-cycles.mjs', params: { how: 'append' } },
  { name: 'bare, rewrite and fsync', module: 'floor-cycles.mjs', params: { how: 'rewrite' } },
  { name: 'hitl, without sync', module: 'hitl-cycles.mjs', params: { flush: false } },
  { name: DURABLE, module: 'hitl-cycles.mjs', params: { flush: true } },
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
  params: { peer, section: 'cycles', saved, warmUp: 10 },
  isPeer: true,
  saved,
}));

/** B: a question, its answer, and on to the next question. B2: the same with answers of 10 kB. */
export async function section({ peers: withPeers, small, rounds, say }) {
  const contenders = withPeers ? [...own, ...peers] : own;
  const many = contenders.filter(({ isPeer, name }) => isPeer !== true && name !== 'bare, rewrite and fsync');
  const big = contenders.filter(({ name }) => name !== 'Mastra, memory' && name !== 'Mastra, libSQL');
  const [few, lots, bigCount] = small ? [10, 30, 10] : [100, 3000, 300];
  const at = (list, cycles, extra = {}) =>
    inRounds(
      list.map((contender) => ({ ...contender, params: { ...contender.params, ...extra, cycles } })),
      { rounds, say: (what) => say(`${cycles} cycles, ${what}`) },
    );
  const short = await at(contenders, few);
  const long = await at(many, lots);
  const bytes = await at(big, bigCount, { bytes: 10_000 });
  const text = [
    `${few} cycles:`,
    cyclesTable(contenders, short),
    `${lots} cycles:`,
    cyclesTable(many, long),
    `${bigCount} cycles, each answer 10 kB:`,
    cyclesTable(big, bytes),
  ].join('\n\n');
  return {
    rounds: { short, long, bytes },
    text,
    goals: goalsOf({ short, long, bytes }, withPeers, { few, lots }),
  };
}

function cyclesTable(contenders, rounds) {
  return table([
    [
      '',
      'ms a cycle',
      'processor ms',
      'over append',
      'first',
      'middle',
      'last',
      'kB a cycle',
      'syncs',
      'peak MB',
    ],
    ...contenders.map(({ name }) => {
      const of = (key) => figure(rounds.of(name, key)?.median);
      if (rounds.failure(name) !== undefined) return [name, rounds.failure(name), ...Array(8).fill('-')];
      const over = figure(rounds.ratio(name, 'msPerCycle', APPEND));
      return [
        name,
        of('msPerCycle'),
        of('cpuMsPerCycle'),
        over,
        of('first'),
        of('middle'),
        of('last'),
        of('kbPerCycle'),
        of('flushesPerCycle'),
        of('peakMb'),
      ];
    }),
  ]);
}

function goalsOf({ short, long, bytes }, withPeers, { few, lots }) {
  const flat = long.of(DURABLE, 'msPerCycle')?.median / short.of(DURABLE, 'msPerCycle')?.median;
  const cpuFlat = long.of(DURABLE, 'cpuMsPerCycle')?.median / short.of(DURABLE, 'cpuMsPerCycle')?.median;
  const saved = withPeers ? peers.filter(({ saved: isSaved }) => isSaved) : [];
  return [
    goal('durable cycle over append and fdatasync', short.ratio(DURABLE, 'msPerCycle', APPEND), 1.8),
    goal('syncs a cycle', short.of(DURABLE, 'flushesPerCycle')?.median, 3.1),
    goal(`ms a cycle, ${lots} over ${few} cycles`, flat, 1.2),
    goal(`processor ms a cycle, ${lots} over ${few} cycles`, cpuFlat, 1.2),
    goal(
      `bytes a cycle, ${lots} over ${few} cycles`,
      long.of(DURABLE, 'kbPerCycle')?.median / short.of(DURABLE, 'kbPerCycle')?.median,
      1.02,
    ),
    goal('bytes a cycle over its own content', short.ratio(DURABLE, 'kbPerCycle', APPEND), 3),
    goal('B2: ms a cycle with answers of 10 kB', bytes.of(DURABLE, 'msPerCycle')?.median, 1.5),
    goal('B2: peak MB', bytes.of(DURABLE, 'peakMb')?.median, 100),
    ...saved.map(({ name }) =>
      goal(`durable cycle over ${name}`, short.ratio(DURABLE, 'msPerCycle', name), 1),
    ),
  ];
}
