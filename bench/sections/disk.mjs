import { atMost } from '../harness/goals.mjs';
import { cell, figure, table } from '../harness/table.mjs';

const WHOLE = 'open, whole journal';
const SNAPSHOT = 'open, snapshot';
const LIST = 'list';
const FOLD = 'fold';
const TWICE = 'fold twice as many';

/** C: long sessions, full stores, long folds. */
export function plan({ small }) {
  const sizes = small ? { open: 300, list: 40, fold: 2000 } : { open: 10_000, list: 10_000, fold: 100_000 };
  const measures = [
    { id: WHOLE, params: { what: 'open', size: sizes.open, snapshot: false } },
    { id: SNAPSHOT, params: { what: 'open', size: sizes.open, snapshot: true } },
    { id: LIST, params: { what: 'list', size: sizes.list } },
    { id: FOLD, params: { what: 'fold', size: sizes.fold } },
    { id: TWICE, params: { what: 'fold', size: sizes.fold * 2 } },
  ].map(({ id, params }) => ({ id, module: 'hitl-store.mjs', params: { ...params, times: small ? 1 : 5 } }));
  return { measures, report: (measured) => ({ text: textOf(measured, sizes), goals: goalsOf(measured) }) };
}

function textOf(measured, { open, list, fold }) {
  const row = (what, id, keys) => [what, ...keys.map((key) => (key === '' ? '-' : cell(measured, id, key)))];
  return table([
    ['', 'ms', 'floor, ms', 'over the floor'],
    row(`open ${open} messages, whole journal (floor: read and parse)`, WHOLE, [
      'ms',
      'floorMs',
      'overFloor',
    ]),
    row(`open ${open} messages, snapshot`, SNAPSHOT, ['ms', 'floorMs', 'overFloor']),
    row(`\`hitl list\`, ${list} sessions (floor: empty Node)`, LIST, ['ms', 'emptyNodeMs', 'overNode']),
    row(`\`hitl list\`, ${list} sessions, no index yet`, LIST, ['firstMs', 'emptyNodeMs', '']),
    row(`fold ${fold} events, processor`, FOLD, ['cpuMs', '', '']),
    [
      ...row(`fold ${fold * 2} events, processor`, TWICE, ['cpuMs', '']),
      figure(measured.ratio(TWICE, 'cpuMs', FOLD)),
    ],
  ]);
}

function goalsOf(measured) {
  return [
    atMost('opening over reading and parsing', measured.of(WHOLE, 'overFloor')?.median, 2.5),
    atMost('ms to open with a snapshot', measured.of(SNAPSHOT, 'ms')?.median, 20),
    atMost('`hitl list` of a full store over an empty Node', measured.of(LIST, 'overNode')?.median, 10),
    atMost('folding twice as many events', measured.ratio(TWICE, 'cpuMs', FOLD), 2.3),
  ];
}
