import type { ReplayReport } from '../../src/graph/index.js';
import type { Shown } from '../../src/core/index.js';
import { escapeText, joined, shown } from '../../src/core/index.js';

/** Formats the result of a replay: a match, or both sides of the first difference. */
export function replayText({ operations, difference }: ReplayReport): Shown {
  if (difference === undefined)
    return shown`the code matches the journal (${operations} ${operations === 1 ? shown`operation` : shown`operations`})`;
  const { path, operation, recorded, now, between } = difference;
  const [was, is] =
    between === 'journal' ? [shown`journal`, shown`code   `] : [shown`first  `, shown`again  `];
  const head =
    between === 'journal'
      ? shown`the code no longer matches the journal at`
      : shown`the code is not deterministic at`;
  return joined(
    [
      shown`${head} ${escapeText(operation)} of ${escapeText(path)}`,
      shown`  ${was}  ${escapeText(recorded)}`,
      shown`  ${is}  ${escapeText(now)}`,
    ],
    '\n',
  );
}
