import { inRounds } from '../harness/rounds.mjs';
import { figure, goal, spread, table } from '../harness/table.mjs';

const own = ['bare', 'memory', 'journal'].map((how) => ({
  name: { bare: '`Promise.all`', memory: 'hitl, in memory', journal: 'hitl, durable at every step' }[how],
  module: 'hitl-parallel.mjs',
  params: { how },
}));

const peers = [
  ['Vercel AI SDK', 'ai-sdk'],
  ['Genkit', 'genkit'],
  ['LangGraph', 'langgraph'],
  ['OpenAI Agents', 'openai-agents'],
  ['ADK', 'adk'],
  ['Mastra', 'mastra'],
].map(([name, peer]) => ({ name, module: 'peer.mjs', params: { peer, section: 'parallel' } }));

/** F: eight tools of 100 ms in one turn. */
export async function section({ peers: withPeers, small, rounds, say }) {
  const contenders = (withPeers ? [...own, ...peers] : own).map((contender) => ({
    ...contender,
    params: { ...contender.params, times: small ? 1 : 5 },
  }));
  const measured = await inRounds(contenders, { rounds, say });
  const text = table([
    ['8 tools of 100 ms in one turn', 'ms', 'over `Promise.all`'],
    ...contenders.map(({ name }) => [
      name,
      measured.failure(name) ?? spread(measured.of(name, 'ms')),
      figure(measured.ratio(name, 'ms', '`Promise.all`')),
    ]),
  ]);
  return {
    rounds: measured,
    text,
    goals: [
      goal('in memory, over 100 ms', measured.of('hitl, in memory', 'ms')?.median / 100, 1.05),
      goal('durable, over 100 ms', measured.of('hitl, durable at every step', 'ms')?.median / 100, 1.05),
    ],
  };
}
