import { atMost } from '../harness/goals.mjs';
import { cell, figure, table } from '../harness/table.mjs';
import { plan as planTerminal } from './terminal.mjs';

const SDK = 'SDK, `create({ stream: true })`';
const OURS = 'hitl';

const own = [
  ['`node:http` and a line parser', 'http'],
  ['`fetch` and a line parser', 'fetch'],
  [SDK, 'sdk'],
  ['SDK, `messages.stream`', 'sdkStream'],
  [OURS, 'hitl'],
].map(([name, how]) => ({ name, how }));

const peers = [{ name: 'Vercel AI SDK', how: 'aiSdk', times: 1 }];

/** D: a reply from the socket to the whole message, and what it costs to show one. */
export function plan({ peers: withPeers, small }) {
  const terminal = planTerminal({ small });
  const contenders = withPeers ? [...own, ...peers] : own;
  const replies = {
    text: { kind: 'text', size: small ? 2000 : 100_000, times: 3, contenders },
    input: { kind: 'input', size: small ? 20_000 : 200_000, times: 5, contenders },
    big: {
      kind: 'input',
      size: small ? 100_000 : 5_000_000,
      times: 3,
      contenders: own.filter(({ name }) => name === SDK || name === OURS),
    },
  };
  const measures = Object.values(replies).flatMap((reply) =>
    reply.contenders.map(({ name, how, times = reply.times }) => ({
      id: idOf(name, reply),
      module: 'streams.mjs',
      params: { how, kind: reply.kind, size: reply.size, times },
    })),
  );
  return {
    measures: [...measures, ...terminal.measures],
    report(measured) {
      const shown = terminal.report(measured);
      const text = textOf(measured, contenders, replies);
      return { text: `${text}\n\n${shown.text}`, goals: [...goalsOf(measured, replies), ...shown.goals] };
    },
  };
}

function idOf(name, { kind, size }) {
  return `${name}, ${kind} of ${size}`;
}

function textOf(measured, contenders, { text, input, big }) {
  const costs = (name, reply) => [
    cell(measured, idOf(name, reply), 'cpuMs'),
    figure(measured.ratio(idOf(name, reply), 'cpuMs', idOf(SDK, reply))),
  ];
  const rows = contenders.map(({ name }) => [
    name,
    figure(measured.of(idOf(name, text), 'kiloDeltasPerSecond')?.median),
    ...[text, input, big].flatMap((reply) => costs(name, reply)),
  ]);
  const over = 'over the SDK';
  const heads = [text, input, big].flatMap(({ kind, size }) => [
    kind === 'text' ? `${size} text deltas, processor ms` : `tool input of ${size}, processor ms`,
    over,
  ]);
  return table([['', 'thousand text deltas a second', ...heads], ...rows]);
}

function goalsOf(measured, { text, input, big }) {
  const over = (reply) => measured.ratio(idOf(OURS, reply), 'cpuMs', idOf(SDK, reply));
  const longer = measured.ratio(idOf(OURS, big), 'cpuMs', idOf(OURS, input)) / (big.size / input.size);
  return [
    atMost('text, processor time over the SDK', over(text), 1.2),
    atMost('tool input, processor time over the SDK', over(input), 1.2),
    atMost(`tool input, time for a character, ${big.size} over ${input.size}`, longer, 1.2),
  ];
}
