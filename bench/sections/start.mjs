import { others, programs } from '../contenders/programs.mjs';
import { atMost } from '../harness/goals.mjs';
import { cell, figure, table } from '../harness/table.mjs';

const EMPTY = { program: 'an empty Node', how: 'to its end', words: ['-e', '0'] };
const PROMPT = { how: 'first prompt' };
const COMMANDS = ['--version', '--help'].map((word) => ({ how: `\`${word}\``, words: [word] }));
const LIST = { program: 'hitl', how: '`list`', words: ['list'] };
const HOOK = {
  program: 'hitl, a hook that a rule decides',
  how: 'to its end',
  words: ['hook', 'claude-code'],
};

/** What is measured of a program. */
function waysOf(program) {
  const ways = programs[program].prompt === undefined ? COMMANDS : [...COMMANDS, PROMPT];
  return ways.map((way) => ({ program, ...way }));
}

function idOf({ program, how }) {
  return `${program}, ${how}`;
}

/** E: from the command to its end, or to the first prompt. */
export function plan({ peers, small }) {
  const own = [EMPTY, { program: 'Node with readline', ...PROMPT }, ...waysOf('hitl'), LIST, HOOK];
  const ways = peers ? [...own, ...others.flatMap(waysOf)] : own;
  const timesOf = (program) => (small ? 1 : programs[program].alone === true ? 3 : 15);
  const measures = ways.map(({ program, words, ...way }) => ({
    id: idOf({ program, ...way }),
    module: 'start.mjs',
    params: { program, words, times: timesOf(program) },
  }));
  return { measures, report: (measured) => ({ text: textOf(measured, ways), goals: goalsOf(measured) }) };
}

function textOf(measured, ways) {
  const rows = ways
    .map(idOf)
    .map((id) => [
      id,
      cell(measured, id, 'ms'),
      figure(measured.of(id, 'leastMs')?.min),
      figure(measured.of(id, 'overNode')?.median),
      figure(measured.of(id, 'leastOverNode')?.min),
    ]);
  return table([['', 'ms', 'the shortest', 'over an empty Node', 'the least'], ...rows]);
}

function goalsOf(measured) {
  const over = (how) => measured.of(idOf({ program: 'hitl', how }), 'overNode')?.median;
  return [
    atMost('`hitl --version` over an empty Node', over('`--version`'), 1.6),
    atMost('`hitl --help` over an empty Node', over('`--help`'), 2.2),
    atMost('`hitl list` over an empty Node', over('`list`'), 2.2),
    atMost('`hitl chat` to the prompt, over an empty Node', over(PROMPT.how), 2.6),
  ];
}
