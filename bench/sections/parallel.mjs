import { TOOL_MS } from '../contenders/waiting.mjs';
import { atMost } from '../harness/goals.mjs';
import { cell, figure, table } from '../harness/table.mjs';

const BARE = '`Promise.all`';
const MEMORY = 'hitl, in memory';
const DURABLE = 'hitl, durable at every step';

const own = [
  { id: BARE, how: 'bare' },
  { id: MEMORY, how: 'memory' },
  { id: DURABLE, how: 'journal' },
].map(({ id, how }) => ({ id, module: 'hitl-parallel.mjs', params: { how } }));

const peers = [
  ['Vercel AI SDK', 'ai-sdk'],
  ['Genkit', 'genkit'],
  ['LangGraph', 'langgraph'],
  ['OpenAI Agents', 'openai-agents'],
  ['ADK', 'adk'],
  ['Mastra', 'mastra'],
].map(([id, peer]) => ({ id, module: 'peer.mjs', params: { peer, section: 'parallel' } }));

/** F: eight tools of 100 ms in one turn. */
export function plan({ peers: withPeers, small }) {
  const measures = (withPeers ? [...own, ...peers] : own).map(({ params, ...measure }) => ({
    ...measure,
    params: { ...params, times: small ? 1 : 7 },
  }));
  return { measures, report: (measured) => ({ text: textOf(measured, measures), goals: goalsOf(measured) }) };
}

function textOf(measured, measures) {
  const rows = measures.map(({ id }) => [
    id,
    cell(measured, id, 'ms'),
    figure(measured.of(id, 'leastMs')?.min),
    figure(measured.ratio(id, 'ms', BARE)),
  ]);
  return table([[`8 tools of ${TOOL_MS} ms in one turn`, 'ms', 'the shortest', `over ${BARE}`], ...rows]);
}

function goalsOf(measured) {
  const over = (id, key, which) => measured.of(id, key)?.[which] / TOOL_MS;
  return [
    atMost(`in memory over ${TOOL_MS} ms`, over(MEMORY, 'ms', 'median'), 1.05),
    atMost(`in memory over ${TOOL_MS} ms, the shortest turn`, over(MEMORY, 'leastMs', 'min'), 1.05),
    atMost(`durable over ${TOOL_MS} ms`, over(DURABLE, 'ms', 'median'), 1.05),
    atMost(`durable over ${TOOL_MS} ms, the shortest turn`, over(DURABLE, 'leastMs', 'min'), 1.05),
  ];
}
