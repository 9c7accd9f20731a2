import type { Shown } from '../data/escape.js';
import { columnsOf } from '../data/width.js';
import { count, firstRow, plainLine } from '../data/plain-line.js';
import { durationText, timeOf } from '../data/duration.js';
import { escapeText, laidOut } from '../data/escape.js';
import { assertNever } from '../data/assert.js';
import type { TreeNode, TreeProgress, TreeWait } from './tree-node.js';
import type { StoredEvent } from '../state/event.js';

/** A row of the tree as text. Its parts are adjacent and safe to print. */
export interface TreeRow {
  /** Lines that connect the row to the tree: `│ ├ `. */
  readonly lead: string;
  readonly mark: string;
  readonly progress: TreeProgress;
  /** The key, padded to the column's width. */
  readonly key: Shown;
  /** Start time and duration, aligned in columns; empty if no row has either. */
  readonly times: Shown;
  /** Subject and result. */
  readonly words: Shown;
}

/** Options for the layout of the tree. */
export interface TreeLook {
  /** Width of a row, in columns. Default: as wide as needed. */
  readonly columns?: number | undefined;
  readonly ascii?: boolean;
}

const MARKS: Readonly<Record<TreeProgress, readonly [string, string]>> = {
  done: ['✓', '+'],
  running: ['▸', '>'],
  waiting: ['?', '?'],
  'in-doubt': ['!', '!'],
  failed: ['✗', 'x'],
  skipped: ['»', '-'],
  undone: ['↶', '~'],
};

/**
 * Width of the key column. Keys are not truncated, so that they can be copied. After a longer key, the text
 * starts further to the right.
 */
const KEY_COLUMNS = 34;
const TITLE_COLUMNS = 100;
const NAME_COLUMNS = 40;
/** Minimum width of the text, in columns. */
const FEWEST = 8;

interface Laid {
  readonly node: TreeNode;
  readonly lead: string;
  /**
   * Whether the row is inside a called workflow. Keys in a called workflow do not refer to positions in the
   * calling one.
   */
  readonly isInner: boolean;
}

/**
 * Lays out the tree as rows. Branches are below the row that started them. Keys and times are in columns,
 * followed by text.
 */
export function treeRows(
  roots: readonly TreeNode[],
  { columns, ascii = false }: TreeLook = {},
): readonly TreeRow[] {
  const laid = roots.flatMap((root) => [
    { node: root, lead: '', isInner: false },
    ...below(root, '', false, ascii),
  ]);
  const heads = laid.map(({ node, lead, isInner }) => {
    const key = plainLine(`${isInner ? '› ' : ''}${node.key}`, 200);
    return { key, width: columnsOf(lead) + 2 + columnsOf(key) };
  });
  const fitting = heads.map(({ width }) => width).filter((width) => width <= KEY_COLUMNS);
  const aligned = Math.max(0, ...fitting);
  const days = new Set(
    laid.flatMap(({ node: { began } }) => (began === undefined ? [] : [began.slice(0, 10)])),
  );
  return laid.map(({ node, lead }, at) => {
    const { key = laidOut(''), width = 0 } = heads[at] ?? {};
    const pad = ' '.repeat(Math.max(0, aligned - width));
    const times = days.size === 0 ? laidOut('') : timesText(node, days.size > 1);
    const used = Math.max(width, aligned) + columnsOf(times) + (days.size === 0 ? 2 : 4);
    const words = laidOut(rowWords(node).join(' · '));
    const room = columns === undefined ? Infinity : Math.max(FEWEST, columns - used);
    return {
      lead,
      mark: MARKS[node.progress][ascii ? 1 : 0],
      progress: node.progress,
      key: laidOut(`${key}${pad}`),
      times,
      words: columnsOf(words) <= room ? words : cut(words, room),
    };
  });
}

/** Formats a row as one line of plain text. */
export function rowText({ lead, mark, key, times, words }: TreeRow): Shown {
  return laidOut(
    [`${lead}${mark} ${key}`, times, words]
      .filter((part) => part !== '')
      .join('  ')
      .trimEnd(),
  );
}

/** Returns the keys of all rows that commands accept. */
export function placesOf(roots: readonly TreeNode[]): readonly string[] {
  return roots.flatMap(({ key, isPlace, inside = [] }) => [
    ...(isPlace === true ? [key] : []),
    ...placesOf(inside),
  ]);
}

function below(node: TreeNode, lead: string, isInner: boolean, ascii: boolean): readonly Laid[] {
  const { inside = [] } = node;
  const [middle, last, through] = ascii ? ['|-', '`-', '| '] : ['├ ', '└ ', '│ '];
  return inside.flatMap((one, at) => {
    const isLast = at === inside.length - 1;
    const isIn =
      isInner ||
      node.kind === 'call' ||
      node.kind === 'agent' ||
      one.kind === 'call-of-tool' ||
      (node.kind === 'node' && one.kind === 'node');
    return [
      { node: one, lead: `${lead}${isLast ? last : middle}`, isInner: isIn },
      ...below(one, `${lead}${isLast ? '  ' : through}`, isIn, ascii),
    ];
  });
}

/** Formats start time and duration: `17:05:04 12 s`. Includes the date if the rows span several days. */
function timesText({ began, ended }: TreeNode, hasDays: boolean): Shown {
  const start =
    began === undefined ? '' : hasDays ? `${began.slice(5, 10)} ${began.slice(11, 16)}` : began.slice(11, 19);
  const took =
    began === undefined || ended === undefined
      ? ''
      : durationText(Math.max(0, timeOf(ended) - timeOf(began)));
  return laidOut(`${escapeText(start).padEnd(hasDays ? 11 : 8)}  ${took.padStart(6)}`);
}

/**
 * Describes the subject and result of a row, as text that is safe to print. For a question, the result comes
 * first.
 */
export function rowWords(node: TreeNode): readonly string[] {
  const { kind, title, times, inside = [], decided, waits } = node;
  // A sleep that waits says until when, and an empty input nothing.
  const isSaid = title === undefined || title === '{}' || (kind === 'timer' && waits !== undefined);
  const about = isSaid ? [] : [shownTitle(kind, title)];
  const became = becameWords(node);
  const isAsked = kind === 'ask' || kind === 'event';
  return [
    ...(times === undefined || kind === 'checkpoint' ? [] : [`×${times}`]),
    ...kindWords(node),
    ...(kind !== 'branches'
      ? []
      : decided === undefined
        ? [
            count(
              inside.reduce((sum, one) => sum + (one.times ?? 1), 0),
              'branch',
              'branches',
            ),
          ]
        : [`decided by ${plainLine(decided, NAME_COLUMNS)}`]),
    ...(isAsked ? [...became, ...about] : [...about, ...became]),
  ];
}

function becameWords({ kind, attempts, answers = [], waits, error, progress }: TreeNode): readonly string[] {
  const isOver = progress === 'done' || progress === 'failed';
  const isAround = kind === 'branches' || kind === 'branch' || kind === 'node';
  return [
    ...(attempts === undefined ? [] : [isOver ? `${attempts} attempts` : `attempt ${attempts}`]),
    ...(progress === 'in-doubt' && !isAround ? ['in doubt'] : []),
    ...(progress === 'skipped' && !isAround ? ['no longer needed'] : []),
    ...(progress === 'undone' ? ['undone'] : []),
    ...answers.map(({ verb, by }) => `${verb} by ${plainLine(by, NAME_COLUMNS)}`),
    ...(waits === undefined ? [] : [waitWords(waits)]),
    ...(error === undefined || progress === 'skipped' ? [] : [plainLine(error, TITLE_COLUMNS)]),
  ];
}

/** Formats the title of a row. A question is put in quotation marks. */
function shownTitle(kind: TreeNode['kind'], title: string): string {
  const shown = plainLine(title, TITLE_COLUMNS);
  return kind === 'ask' || kind === 'event' || kind === 'agent' ? `“${shown}”` : shown;
}

function kindWords({ kind, times = 0 }: TreeNode): readonly string[] {
  switch (kind) {
    case 'tool':
    case 'agent':
    case 'event':
      return [kind];
    case 'call-of-tool':
      return ['tool'];
    case 'call':
      return ['workflow'];
    case 'state':
      return ['state'];
    case 'value':
      return ['value'];
    case 'timer':
      return ['sleep'];
    case 'checkpoint':
      return [`${count(times, 'operation')} before it`];
    case 'step':
    case 'ask':
    case 'race':
    case 'node':
    case 'branch':
    case 'branches':
      return [];
    default:
      return assertNever(kind);
  }
}

function waitWords({ for: what, interrupt, event, until }: TreeWait): string {
  const id = interrupt === undefined ? '' : ` (${escapeText(interrupt)})`;
  const time = until === undefined ? '' : ` until ${escapeText(until.slice(0, 16).replace('T', ' '))} UTC`;
  switch (what) {
    case 'answer':
      return `waiting for an answer${id}${time}`;
    case 'gate':
      return `is waiting at a gate${id}${time}`;
    case 'event':
      return `waits for ${plainLine(event ?? '', NAME_COLUMNS)}${id}${time}`;
    case 'time':
      return time.trimStart();
    case 'attempt':
      return `next attempt${time.replace(' until', ' at')}`;
    default:
      return assertNever(what);
  }
}

/** Truncates escaped text to a width without splitting an escape sequence. */
function cut(words: string, columns: number): Shown {
  return laidOut(`${firstRow(words, columns - 1)}…`);
}

/** Minimum number of equal rows to fold. Up to three rows are easy to read unfolded. */
const FOLDED_FROM = 4;
/** Maximum number of operations in a loop iteration that can be detected. */
const LONGEST_ROUND = 6;

/**
 * Folds the successful iterations of loops, and equal branches. Each operation in the body of a loop becomes
 * one row.
 */
export function folded(nodes: readonly TreeNode[]): readonly TreeNode[] {
  if (nodes.length < FOLDED_FROM) return nodes;
  const signs = nodes.map(signOf);
  const rows: TreeNode[] = [];
  for (let at = 0; at < nodes.length;) {
    const { round, times } = loopAt(signs, at);
    const [first] = nodes.slice(at, at + 1);
    if (times >= FOLDED_FROM) {
      for (let step = 0; step < round; step += 1)
        rows.push(...oneOf(nodes.slice(at + step, at + round * times).filter((_, n) => n % round === 0)));
      at += round * times;
    } else {
      if (first !== undefined) rows.push(first);
      at += 1;
    }
  }
  return rows;
}

/** Finds a loop that starts at a row. The shortest iteration that repeats often enough is used. */
function loopAt(
  signs: readonly (string | undefined)[],
  at: number,
): { readonly round: number; readonly times: number } {
  for (let round = 1; round <= LONGEST_ROUND; round += 1) {
    let same = 0;
    while (signs[at + same] !== undefined && signs[at + same] === signs[at + same + round]) same += 1;
    const times = Math.floor(same / round) + 1;
    if (times >= FOLDED_FROM) return { round, times };
  }
  return { round: 1, times: 1 };
}

/** Returns a string that is the same for equal rows; `undefined` for a row that must not be folded. */
function signOf({
  name,
  kind,
  progress,
  attempts,
  answers,
  times,
  inside = [],
}: TreeNode): string | undefined {
  if (progress !== 'done' || attempts !== undefined) return undefined;
  const signs = inside.map(signOf);
  if (signs.includes(undefined)) return undefined;
  const own = kind === 'branch' ? '' : name;
  return JSON.stringify([own, kind, answers ?? [], times ?? 1, signs]);
}

/** Merges equal rows into one. */
function oneOf(nodes: readonly TreeNode[]): readonly TreeNode[] {
  const [first] = nodes;
  const last = nodes.at(-1);
  if (first === undefined || last === undefined) return [];
  const { inside, title, ended: _ended, ...rest } = first;
  const titles = title === undefined || last.title === undefined ? undefined : `${title} … ${last.title}`;
  const own = last.key.slice(last.key.lastIndexOf('#'));
  const isOneName =
    first.key.slice(0, first.key.lastIndexOf('#')) === last.key.slice(0, last.key.lastIndexOf('#'));
  return [
    {
      ...rest,
      key: isOneName && own.startsWith('#') ? `${first.key}…${own}` : `${first.key} … ${last.key}`,
      times: nodes.length,
      ...(titles !== undefined && { title: titles }),
      ...(last.ended !== undefined && { ended: last.ended }),
      ...(inside !== undefined && { inside: [] }),
    },
  ];
}

/** Times of a node or operation in a run. */
interface Times {
  /** Start time of the first attempt (ISO 8601). */
  readonly began: string;
  /** End time (ISO 8601); absent if the node or operation has not ended. */
  readonly ended?: string;
  /** Number of attempts that were started. */
  readonly attempts: number;
}

/** The times of all nodes and operations in a run, by `placeKey`. */
export type RunTimes = ReadonlyMap<string, Times>;

/** Returns a key for an activation, or for an operation in its code. The key is unique in the session. */
export function placeKey(
  scope: string,
  { node, visit }: { readonly node: string; readonly visit: number },
  key?: string,
): string {
  const activation = `${scope === '' ? '' : `${scope}/`}${node}@${visit}`;
  return key === undefined ? activation : `${activation} ${key}`;
}

/**
 * Returns the start and end times and the number of attempts of a workflow's nodes and operations. If an
 * operation that has ended runs again, its earlier times are replaced.
 */
export function timesOf(events: Iterable<Pick<StoredEvent, 'at' | 'scope' | 'event'>>): RunTimes {
  const times = new Map<string, Times>();
  const begin = (place: string, at: string): void => {
    const before = times.get(place);
    const isAnother = before !== undefined && before.ended === undefined;
    times.set(place, isAnother ? { ...before, attempts: before.attempts + 1 } : { began: at, attempts: 1 });
  };
  const end = (place: string, at: string): void => {
    const before = times.get(place);
    if (before !== undefined) times.set(place, { ...before, ended: at });
  };
  for (const { at, scope, event } of events) {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other events begin and end nothing
    switch (event.type) {
      case 'node-started': {
        const place = placeKey(scope, event);
        // A node goes on where it was after each answer: it begins once.
        if (times.get(place) === undefined) begin(place, event.startedAt);
        break;
      }
      case 'node-settled':
      case 'node-failed':
        end(placeKey(scope, event), at);
        break;
      case 'op-started':
        begin(placeKey(scope, event, event.key), event.startedAt ?? at);
        break;
      case 'step-started':
        begin(placeKey(scope, event, event.key), at);
        break;
      case 'op-settled':
      case 'step-settled':
        end(placeKey(scope, event, event.key), at);
        break;
      case 'op-failed':
        if (event.again === undefined) end(placeKey(scope, event, event.key), at);
        break;
      default:
        break;
    }
  }
  return times;
}
