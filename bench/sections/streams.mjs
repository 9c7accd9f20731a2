import { inRounds } from '../harness/rounds.mjs';
import { figure, goal, table } from '../harness/table.mjs';

const SDK = 'SDK, `create({ stream: true })`';

const own = [
  ['`node:http` and a line parser', 'http'],
  ['`fetch` and a line parser', 'fetch'],
  [SDK, 'sdk'],
  ['SDK, `messages.stream`', 'sdkStream'],
  ['hitl', 'hitl'],
].map(([name, how]) => ({ name, module: 'streams.mjs', params: { how } }));

const peers = [{ name: 'Vercel AI SDK', module: 'streams.mjs', params: { how: 'aiSdk', times: 1 } }];

/** D: a reply from the socket to the whole message. */
export async function section({ peers: withPeers, small, rounds, say }) {
  const contenders = withPeers ? [...own, ...peers] : own;
  const sizes = small
    ? { text: 2000, input: 20_000, big: 100_000 }
    : { text: 100_000, input: 200_000, big: 5_000_000 };
  const at = (list, kind, size, times) =>
    inRounds(
      list.map((contender) => ({ ...contender, params: { kind, size, times, ...contender.params } })),
      { rounds, say: (what) => say(`${kind} ${size}, ${what}`) },
    );
  const text = await at(contenders, 'text', sizes.text, 3);
  const input = await at(contenders, 'input', sizes.input, 5);
  const big = await at(
    own.filter(({ name }) => name === SDK || name === 'hitl'),
    'input',
    sizes.big,
    3,
  );
  const rows = contenders.map(({ name }) => [
    name,
    text.failure(name) ?? figure(text.of(name, 'kiloDeltasPerCpuSecond')?.median),
    figure(text.ratio(name, 'cpuMs', SDK)),
    input.failure(name) ?? figure(input.of(name, 'cpuMs')?.median),
    figure(input.ratio(name, 'cpuMs', SDK)),
    figure(big.of(name, 'cpuMs')?.median),
  ]);
  const head = [
    '',
    `${sizes.text} text deltas: thousands a second of processor time`,
    'over the SDK',
    `tool input of ${sizes.input}: processor ms`,
    'over the SDK',
    `of ${sizes.big}`,
  ];
  const linear =
    big.of('hitl', 'cpuMs')?.median / input.of('hitl', 'cpuMs')?.median / (sizes.big / sizes.input);
  return {
    rounds: { text, input, big },
    text: table([head, ...rows]),
    goals: [
      goal('text, processor time over the SDK', text.ratio('hitl', 'cpuMs', SDK), 1.2),
      goal('tool input, processor time over the SDK', input.ratio('hitl', 'cpuMs', SDK), 1.2),
      goal(`time for a character, ${sizes.big} over ${sizes.input}`, linear, 1.2),
    ],
  };
}
