import { inRounds } from '../harness/rounds.mjs';
import { figure, goal, spread, table } from '../harness/table.mjs';

const own = [
  { name: 'bare loop', module: 'floor-engine.mjs', params: { how: 'bare' }, warm: 2000 },
  {
    name: 'bare loop, one log line a message',
    module: 'floor-engine.mjs',
    params: { how: 'log' },
    warm: 2000,
  },
  { name: 'hitl, in memory', module: 'hitl-engine.mjs', params: { how: 'memory' }, warm: 2000 },
  {
    name: 'hitl, `generate` of the library',
    module: 'hitl-engine.mjs',
    params: { how: 'library' },
    warm: 2000,
  },
  { name: 'hitl, journal without sync', module: 'hitl-engine.mjs', params: { how: 'journal' }, warm: 2000 },
];

const peers = [
  ['Vercel AI SDK', 'ai-sdk', 'turns'],
  ['Genkit', 'genkit', 'turns'],
  ['LangGraph, no saver', 'langgraph', 'turns'],
  ['LangGraph, MemorySaver', 'langgraph', 'turnsSaved'],
  ['ADK', 'adk', 'turns'],
  ['OpenAI Agents', 'openai-agents', 'turns'],
  ['Mastra', 'mastra', 'turns'],
].map(([name, peer, section]) => ({
  name,
  module: 'peer.mjs',
  params: { peer, section },
  warm: 100,
  isPeer: true,
}));

/** A: what a turn with one tool call costs that returns at once. */
export async function section({ peers: withPeers, small, rounds, say }) {
  const contenders = withPeers ? [...own, ...peers] : own;
  const sizes = small ? [10, 30] : [10, 100, 300, 1000];
  const long = small ? 60 : 10_000;
  const measured = new Map();
  for (const turns of [...sizes, long]) {
    const here = contenders
      .filter(({ isPeer }) => turns !== long || isPeer !== true)
      .map(({ warm, params, ...contender }) => ({
        ...contender,
        params: { ...params, turns, warmUp: small ? 5 : warm, repeat: turns < 1000 },
      }));
    measured.set(turns, await inRounds(here, { rounds, say: (what) => say(`${turns} turns, ${what}`) }));
  }
  return {
    rounds: Object.fromEntries(measured),
    text: textOf(contenders, measured),
    goals: goalsOf(measured, withPeers),
  };
}

function textOf(contenders, measured) {
  const sizes = [...measured.keys()];
  const last = sizes.at(-2);
  const cpu = table([
    [
      'processor µs a turn, conversation of',
      ...sizes.map(String),
      `peak MB at ${last}`,
      `over bare at ${last}`,
    ],
    ...contenders.map(({ name }) => [
      name,
      ...sizes.map(
        (size) =>
          measured.get(size).failure(name) ?? figure(measured.get(size).of(name, 'usPerTurn')?.median),
      ),
      figure(measured.get(last).of(name, 'peakMb')?.median),
      `${figure(measured.get(last).ratio(name, 'usPerTurn', 'bare loop'))} times`,
    ]),
  ]);
  const wall = table([
    ['on the wall, µs a turn', ...sizes.map(String)],
    ...contenders.map(({ name }) => [
      name,
      ...sizes.map((size) => spread(measured.get(size).of(name, 'wallUsPerTurn'))),
    ]),
  ]);
  return `${cpu}\n\n${wall}`;
}

function goalsOf(measured, withPeers) {
  const sizes = [...measured.keys()];
  const [long, last, middle] = [sizes.at(-1), sizes.at(-2), sizes.at(-3)];
  const at = measured.get(last);
  const memory = 'hitl, in memory';
  const flat =
    measured.get(long).of(memory, 'usPerTurn')?.median / measured.get(middle).of(memory, 'usPerTurn')?.median;
  const over = at.of(memory, 'peakMb')?.median - at.of('bare loop', 'peakMb')?.median;
  const fastest = withPeers
    ? Math.max(...peers.map(({ name }) => at.ratio(memory, 'usPerTurn', name) ?? 0))
    : undefined;
  return [
    goal('µs a turn in memory', at.of(memory, 'usPerTurn')?.median, 12),
    goal(
      'journal without sync, over bare with a log',
      at.ratio('hitl, journal without sync', 'usPerTurn', 'bare loop, one log line a message'),
      3,
    ),
    goal(`a turn of ${long} over one of ${middle}`, flat, 1.2),
    goal(`peak MB over the bare loop at ${last}`, over, 20),
    ...(fastest === undefined ? [] : [goal('of the time of the fastest peer', fastest, 1 / 45)]),
  ];
}
