import { atLeast, atMost } from '../harness/goals.mjs';
import { cell, figure, table } from '../harness/table.mjs';

const BARE = 'bare loop';
const LOGGED = 'bare loop, one log line a message';
const MEMORY = 'hitl, in memory';
const JOURNAL = 'hitl, journal without sync';

const own = [
  { name: BARE, module: 'floor-engine.mjs', params: { how: 'bare' } },
  { name: LOGGED, module: 'floor-engine.mjs', params: { how: 'log' } },
  { name: MEMORY, module: 'hitl-engine.mjs', params: { how: 'memory' } },
  { name: 'hitl, `generate` of the library', module: 'hitl-engine.mjs', params: { how: 'library' } },
  { name: JOURNAL, module: 'hitl-engine.mjs', params: { how: 'journal' } },
];

const peers = [
  ['Vercel AI SDK', 'ai-sdk', 'turns'],
  ['Genkit', 'genkit', 'turns'],
  ['LangGraph, no saver', 'langgraph', 'turns'],
  ['LangGraph, MemorySaver', 'langgraph', 'turnsSaved'],
  ['ADK', 'adk', 'turns'],
  ['OpenAI Agents', 'openai-agents', 'turns'],
  ['Mastra', 'mastra', 'turns'],
].map(([name, peer, section]) => ({ name, module: 'peer.mjs', params: { peer, section } }));

const SIZES = {
  real: { short: [10, 100], middle: 300, last: 1000, long: 10_000 },
  small: { short: [10], middle: 20, last: 30, long: 60 },
};

/** Warmed up enough to see that it runs. */
const SMALL_WARM_UP = { conversation: 5, turns: 5, us: 1 };

/** A: what a turn costs with one tool call that returns at once. */
export function plan({ peers: withPeers, small }) {
  const sizes = small ? SIZES.small : SIZES.real;
  const all = [...sizes.short, sizes.middle, sizes.last];
  const contenders = withPeers ? [...own, ...peers] : own;
  const measuresOf = (list, turns) =>
    list.map(({ name, module, params }) => ({
      id: idOf(name, turns),
      module,
      params: { ...params, turns, ...(small && { warmUp: SMALL_WARM_UP }) },
    }));
  return {
    measures: [...all.flatMap((turns) => measuresOf(contenders, turns)), ...measuresOf(own, sizes.long)],
    report: (measured) => ({
      text: textOf(measured, contenders, [...all, sizes.long], sizes.last),
      goals: goalsOf(measured, sizes, withPeers),
    }),
  };
}

function idOf(name, turns) {
  return `${name}, ${turns} turns`;
}

function textOf(measured, contenders, sizes, last) {
  const rows = contenders.map(({ name }) => [
    name,
    ...sizes.map((turns) => costOf(measured, idOf(name, turns))),
    figure(measured.of(idOf(name, last), 'peakMb')?.median),
    figure(measured.ratio(idOf(name, last), 'wallUsPerTurn', idOf(BARE, last))),
  ]);
  const head = [
    'µs a turn, wall / processor, of',
    ...sizes.map(String),
    `peak MB at ${last}`,
    `over bare at ${last}`,
  ];
  return table([head, ...rows]);
}

function costOf(measured, id) {
  const processor = measured.of(id, 'cpuUsPerTurn');
  return cell(measured, id, 'wallUsPerTurn', (wall) =>
    wall === undefined ? '-' : `${figure(wall.median)} / ${figure(processor?.median)}`,
  );
}

function goalsOf(measured, { middle, last, long }, withPeers) {
  const memory = idOf(MEMORY, last);
  const others = peers.map(({ name }) => idOf(name, last));
  const share = measured.ratioToLeast(memory, 'wallUsPerTurn', others);
  const over = measured.of(memory, 'peakMb')?.median - measured.of(idOf(BARE, last), 'peakMb')?.median;
  return [
    ...(withPeers ? [atLeast(`times as fast as the fastest peer at ${last}`, 1 / share, 5)] : []),
    atMost(
      `a turn in memory at ${long} over one at ${middle}`,
      measured.ratio(idOf(MEMORY, long), 'wallUsPerTurn', idOf(MEMORY, middle)),
      1.2,
    ),
    atMost(
      `a turn with the journal at ${long} over one at ${middle}`,
      measured.ratio(idOf(JOURNAL, long), 'wallUsPerTurn', idOf(JOURNAL, middle)),
      1.2,
    ),
    atMost(`peak MB in memory over the bare loop at ${last}`, over, 60),
  ];
}
