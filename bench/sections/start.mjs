import { inRounds } from '../harness/rounds.mjs';
import { figure, goal, spread, table } from '../harness/table.mjs';

const own = [
  ['`node -e 0`', 'node'],
  ['`hitl --version`', 'version'],
  ['`hitl --help`', 'help'],
  ['`hitl list`, no sessions', 'list'],
  ['Node with readline, to the prompt', 'readline'],
  ['`hitl chat`, to the prompt', 'chat'],
].map(([name, how]) => ({ name, module: 'start.mjs', params: { how } }));

/** E: from the command to its end, or to the first prompt. */
export async function section({ small, rounds, say }) {
  const contenders = own.map((contender) => ({
    ...contender,
    params: { ...contender.params, times: small ? 1 : 7 },
  }));
  const measured = await inRounds(contenders, { rounds, say });
  const node = '`node -e 0`';
  const text = table([
    ['', 'ms', 'over an empty Node'],
    ...contenders.map(({ name }) => [
      name,
      measured.failure(name) ?? spread(measured.of(name, 'ms')),
      figure(measured.ratio(name, 'ms', node)),
    ]),
  ]);
  const over = (name) => measured.ratio(name, 'ms', node);
  return {
    rounds: measured,
    text,
    goals: [
      goal('`hitl --version` over an empty Node', over('`hitl --version`'), 1.3),
      goal('`hitl --help` over an empty Node', over('`hitl --help`'), 1.3),
      goal('`hitl list` over an empty Node', over('`hitl list`, no sessions'), 1.5),
      goal('`hitl chat` to the prompt, over an empty Node', over('`hitl chat`, to the prompt'), 2),
    ],
  };
}
