import { SCRIPTED } from '../contenders/programs.mjs';
import { atMost } from '../harness/goals.mjs';
import { cell, figure, table } from '../harness/table.mjs';

const OURS = 'hitl';
const SERVED = 'hitl, a server on this machine';

/** Verbs of ours, by the key of their numbers, and how many times an empty Node they may take. */
const VERBS = [
  ['inbox', '`inbox`', 3.2],
  ['answer', '`answer`', 3.2],
  ['chat', '`chat -p`, to its question', 4.5],
  ['resume', '`resume`, one call to its end', 4.5],
];

/** What a script waits for, as whole processes. */
export function plan({ peers, small }) {
  const others = peers ? SCRIPTED.filter((name) => name !== SERVED) : [];
  const served = [SERVED, ...others];
  const measures = [OURS, ...served].map((program) => ({
    id: program,
    module: 'scripts.mjs',
    params: { program, times: small ? 1 : 9 },
    boxes: 2,
  }));
  return {
    measures,
    report: (measured) => ({ text: textOf(measured, served), goals: goalsOf(measured, others) }),
  };
}

function textOf(measured, served) {
  const row = (what, id, verb) => [
    what,
    cell(measured, id, `${verb}Ms`),
    figure(measured.of(id, `${verb}OverNode`)?.median),
  ];
  return table([
    ['', 'ms', 'over an empty Node'],
    ...VERBS.map(([verb, words]) => row(`hitl, ${words}`, OURS, verb)),
    ...served.map((id) => row(`${id}, one prompt and its reply`, id, 'chat')),
  ]);
}

function goalsOf(measured, others) {
  const ours = VERBS.map(([verb, words, most]) =>
    atMost(`${words} over an empty Node`, measured.of(OURS, `${verb}OverNode`)?.median, most),
  );
  const ahead = others.map((other) =>
    atMost(
      `a prompt and its reply, over ${other}`,
      measured.of(SERVED, 'chatMs')?.median / measured.of(other, 'chatMs')?.median,
      1,
    ),
  );
  return [...ours, ...ahead];
}
