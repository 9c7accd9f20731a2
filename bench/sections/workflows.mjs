import { atMost } from '../harness/goals.mjs';
import { cell, table } from '../harness/table.mjs';

const CODE = 'hitl, code, in memory';
const STEPS = 10_000;

const own = [
  { id: CODE, form: 'code' },
  { id: 'hitl, code, durable', form: 'code', saved: true },
  { id: 'hitl, nodes of a graph, in memory', form: 'nodes' },
  { id: 'hitl, nodes of a graph, durable', form: 'nodes', saved: true },
].map(({ id, ...params }) => ({ id, module: 'hitl-workflow.mjs', params }));

const peers = [
  { id: 'LangGraph `entrypoint` and `task`, in memory' },
  { id: 'LangGraph `entrypoint` and `task`, SQLite', saved: true },
].map(({ id, ...params }) => ({ id, module: 'langgraph-workflow.mjs', params }));

/** W: so many steps of a workflow, a question, and on behind its answer. */
export function plan({ peers: withPeers, small }) {
  const steps = small ? 500 : STEPS;
  const measures = (withPeers ? [...own, ...peers] : own).map(({ params, ...measure }) => ({
    ...measure,
    params: { ...params, steps: params.saved === true ? steps / 10 : steps },
  }));
  return {
    measures,
    report: (measured) => ({
      text: textOf(measured, measures),
      goals: [
        atMost(
          `ms to replay ${STEPS.toLocaleString('en-US')} operations`,
          (measured.of(CODE, 'goOnMs')?.median / steps) * STEPS,
          1000,
        ),
      ],
    }),
  };
}

function textOf(measured, measures) {
  const rows = measures.map(({ id, params }) => [
    id,
    params.steps.toLocaleString('en-US'),
    cell(measured, id, 'usPerStep'),
    cell(measured, id, 'goOnMs'),
  ]);
  return table([['steps and a question', 'steps', 'µs a step', 'ms to go on behind the answer'], ...rows]);
}
