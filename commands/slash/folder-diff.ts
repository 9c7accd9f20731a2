import { createTwoFilesPatch } from 'diff';
import {
  columnsOf,
  escapeText,
  laidOut,
  readDiff,
  shown,
  withContext,
  wrapShown,
} from '../../src/core/index.js';
import type { TableOptions } from '../../src/render/index.js';
import type { FolderChange } from '../report/folder-changes.js';
import { folderChanges } from '../report/folder-changes.js';
import type { SlashHandler } from './context.js';
import { lookOf } from './context.js';

/** Maximum number of diff rows shown at once. */
const MOST_ROWS = 300;
const NARROWEST = 20;
/** Width if there is no terminal. */
const NOWHERE = Number.POSITIVE_INFINITY;

/**
 * `/diff`: shows changes in the folder since the session started. With a path, shows only changes in that
 * file or folder.
 */
export const diff: SlashHandler = async (wanted, { io, flags, session }, print) => {
  const look = lookOf(io, flags);
  const since = Date.parse(session.createdAt);
  const { changes, knowsPast, isCut } = await folderChanges(io, since, new AbortController().signal);
  const path = wanted.replace(/^\.\//u, '').replace(/\/$/u, '');
  const found = changes.filter(
    (change) => path === '' || change.path === path || change.path.startsWith(`${path}/`),
  );
  if (found.length === 0) {
    print(
      shown`no changes${path === '' ? shown` in the folder` : shown` in ${escapeText(path)}`} since the session started`,
    );
    return;
  }
  const rows = found.flatMap((change) => rowsOf(change, look));
  print(laidOut(rows.slice(0, MOST_ROWS).join('\n')));
  if (rows.length > MOST_ROWS)
    print(shown`… ${rows.length - MOST_ROWS} more rows: /diff <path> shows one file`);
  if (isCut) print(shown`too many files; use /diff <path>`);
  if (!knowsPast) print(shown`not a git repository; nothing to compare with`);
};

const VERBS = { new: 'New', changed: 'Edit', gone: 'Gone' } as const;
const SIGNS = { same: ' ', removed: '−', added: '+', gap: ' ' } as const;

function rowsOf(
  { path, what, texts }: FolderChange,
  { theme, columns = NOWHERE }: TableOptions,
): readonly string[] {
  const head = theme.strong(`${VERBS[what]} ${escapeText(path)}`);
  const read =
    texts === undefined ? undefined : readDiff(createTwoFilesPatch('', '', texts.before, texts.after));
  if (read === undefined) return [head];
  const { lines, added, removed } = read;
  const near = withContext(lines, 1);
  const width = Math.max(...near.map(({ number = 0 }) => String(number).length));
  return [
    `${head}  +${added} −${removed}`,
    ...near.flatMap(({ type, text, number }) => {
      const style = { same: theme.dim, removed: theme.failure, added: theme.success, gap: theme.dim }[type];
      const label = `  ${(number === undefined ? '⋯' : String(number)).padStart(width)} ${SIGNS[type]} `;
      const room = Math.max(NARROWEST, columns - columnsOf(label));
      const rows = wrapShown(escapeText(text), room);
      return rows.map((row, at) => `${at === 0 ? label : ' '.repeat(columnsOf(label))}${style(row)}`);
    }),
  ];
}
