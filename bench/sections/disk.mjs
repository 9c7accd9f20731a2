import { inRounds } from '../harness/rounds.mjs';
import { figure, goal, table } from '../harness/table.mjs';

/** C: long sessions, full stores, long folds. */
export async function section({ small, rounds, say }) {
  const sizes = small ? { open: 300, list: 20, fold: 2000 } : { open: 10_000, list: 10_000, fold: 100_000 };
  const times = small ? 1 : 5;
  const contenders = [
    { name: 'open, whole journal', params: { what: 'open', size: sizes.open, snapshot: false } },
    { name: 'open, snapshot', params: { what: 'open', size: sizes.open, snapshot: true } },
    { name: 'list', params: { what: 'list', size: sizes.list } },
    { name: 'fold', params: { what: 'fold', size: sizes.fold } },
    { name: 'fold twice', params: { what: 'fold', size: sizes.fold * 2 } },
  ].map((contender) => ({ ...contender, module: 'hitl-store.mjs', params: { ...contender.params, times } }));
  const measured = await inRounds(contenders, { rounds, say });
  const of = (name, key) => measured.failure(name) ?? figure(measured.of(name, key)?.median);
  const text = table([
    ['', 'ms', 'floor, ms', 'over the floor'],
    [
      `open ${sizes.open} messages, whole journal (floor: read and parse)`,
      of('open, whole journal', 'ms'),
      of('open, whole journal', 'floorMs'),
      of('open, whole journal', 'overFloor'),
    ],
    [
      `open ${sizes.open} messages, snapshot`,
      of('open, snapshot', 'ms'),
      of('open, snapshot', 'floorMs'),
      of('open, snapshot', 'overFloor'),
    ],
    [
      `\`hitl list\`, ${sizes.list} sessions (floor: empty Node)`,
      of('list', 'ms'),
      of('list', 'emptyNodeMs'),
      of('list', 'overNode'),
    ],
    [
      `\`hitl list\`, ${sizes.list} sessions, no index yet`,
      of('list', 'firstMs'),
      of('list', 'emptyNodeMs'),
      '-',
    ],
    [`fold ${sizes.fold} events, processor`, of('fold', 'cpuMs'), '-', '-'],
    [`fold ${sizes.fold * 2} events, processor`, of('fold twice', 'cpuMs'), '-', '-'],
  ]);
  return {
    rounds: measured,
    text,
    goals: [
      goal('opening over reading and parsing', measured.of('open, whole journal', 'overFloor')?.median, 1.5),
      goal('ms to open with a snapshot', measured.of('open, snapshot', 'ms')?.median, 20),
      goal('`hitl list` over an empty Node', measured.of('list', 'overNode')?.median, 3),
      goal('folding twice as many events', measured.ratio('fold twice', 'cpuMs', 'fold'), 2.3),
    ],
  };
}
