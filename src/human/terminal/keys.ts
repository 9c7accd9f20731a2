import type { Interrupt, InterruptKind, Way } from '../../core/index.js';
import { grantIn, WAYS, waysAt } from '../../core/index.js';
import type { KeyChoice } from '../prompt/key-prompt.js';
import type { QuestionView } from '../question/question-text.js';
import type { YesWords } from '../question/words.js';
import { AND_KEY, MORE_KEY, NEXT_PAGE, ROW_KEYS, UNREAD_KEY, VIEW_KEY } from '../question/key-words.js';
import { passedOn } from '../question/form-fields.js';

/** The effect of a key at a question. */
export type Move =
  | { readonly type: 'way'; readonly way: Way }
  /** Approves the call and adds a message for the model. */
  | { readonly type: 'and' }
  /** Runs the call with the user's changes. */
  | { readonly type: 'changed' }
  /** Changes the call again. */
  | { readonly type: 'again' }
  /** Offers the scopes for approving later calls. */
  | { readonly type: 'row'; readonly row: number }
  /** Offers scopes for approving later calls. */
  | { readonly type: 'always' }
  /** Approves a call that was not shown in full. */
  | { readonly type: 'unread' }
  | { readonly type: 'view' }
  | { readonly type: 'more' };

export interface MoveOptions {
  /** Reason that nothing can be started yet, because part of the question has not been on screen. */
  readonly refusal?: string | undefined;
  /** Whether the user may also approve later calls. */
  readonly always: boolean;
  /** Whether the call can be approved before all of it has been on screen. */
  readonly unread?: boolean;
  /** Whether there are unread rows. If so, the approval key scrolls to them. */
  readonly pages?: boolean;
  /** Whether there is a model to receive a message sent with an approval. */
  readonly hears: boolean;
}

/** Returns the keys that show more of the question instead of answering it. */
function looks(isGate: boolean): readonly KeyChoice<Move>[] {
  const { key, label } = VIEW_KEY;
  return [
    { key, label, value: { type: 'view' }, yields: isGate ? 'list' : 'first' },
    { key: MORE_KEY.key, label: MORE_KEY.label, value: { type: 'more' } },
  ];
}

/** Returns the keys for a question, in display order. */
export function movesOf({ interrupt }: QuestionView, options: MoveOptions): readonly KeyChoice<Move>[] {
  // What each call is to be given cannot be approved for later ones.
  const always = options.always && passedOn(interrupt) === undefined;
  const offered = waysAt(interrupt).filter((way) => way.always !== true || always);
  const isGate = interrupt.kind === 'gate';
  const known = AT_GATES.filter((action) => offered.some((way) => way.action === action));
  const main = known.slice(0, MOST_AT_GATES);
  const yieldsOf = (way: Way): Pick<KeyChoice<Move>, 'yields'> => {
    if (isGate) return main.includes(way.action) ? {} : { yields: 'list' };
    return yieldsAt(interrupt.kind, way);
  };
  const disabled = options.refusal !== undefined && { disabled: options.refusal };
  const pages = options.pages === true && { instead: NEXT_PAGE };
  const moves = offered.flatMap((way): readonly KeyChoice<Move>[] => [
    {
      key: way.key,
      label: way.label,
      value: way.always === true ? { type: 'always' } : { type: 'way', way },
      // What is changed is asked about before it runs.
      ...(way.starts && way.takes !== 'input' && disabled),
      ...(isPlainYes(way) && pages),
      ...yieldsOf(way),
    },
    ...(isPlainYes(way) && options.hears ? andMove(interrupt, disabled) : []),
  ]);
  return [
    ...moves,
    ...rowMoves(interrupt),
    ...(options.unread === true
      ? [{ key: UNREAD_KEY.key, label: UNREAD_KEY.label, value: { type: 'unread' }, yields: 'low' } as const]
      : []),
    ...looks(isGate),
  ];
}

/**
 * Returns the keys for a call that the user has changed. They run it, change it again, or reject it.
 * @param yes label of the first key
 */
export function changedMoves(
  { interrupt }: QuestionView,
  yes: YesWords,
  { refusal, hears, pages }: Omit<MoveOptions, 'always'>,
): readonly KeyChoice<Move>[] {
  const disabled = refusal !== undefined && { disabled: refusal };
  const no = waysAt(interrupt).find(({ action }) => action === 'reject');
  return [
    {
      key: WAYS.restart.key,
      ...yes,
      value: { type: 'changed' },
      ...disabled,
      ...(pages === true && { instead: NEXT_PAGE }),
    },
    ...(hears ? andMove(interrupt, disabled) : []),
    { key: WAYS.edit.key, label: 'change again', short: 'edit', value: { type: 'again' } },
    ...rowMoves(interrupt),
    ...(no === undefined ? [] : [{ key: no.key, label: no.label, value: { type: 'way', way: no } as const }]),
    ...looks(false),
  ];
}

/**
 * Returns the digit keys that remove rows from a grant. The last remaining row cannot be removed; the grant
 * must be rejected instead.
 */
function rowMoves(interrupt: Interrupt): readonly KeyChoice<Move>[] {
  const rows = waysAt(interrupt).some(({ takes }) => takes === 'input')
    ? grantIn(interrupt.payload)?.rows
    : [];
  if (rows === undefined || rows.length < 2) return [];
  return rows.map((_, row) => ({
    key: String(row + 1),
    ...(row === 0 ? { shown: `1–${rows.length}` } : { yields: 'list' as const }),
    label: ROW_KEYS.label,
    value: { type: 'row', row },
  }));
}

/**
 * Actions for the key row at a gate, most important first. Only the first few that are available are shown;
 * the full help lists the others.
 */
const AT_GATES: readonly Way['action'][] = ['continue', 'update-state', 'reject', 'respond', 'skip', 'rerun'];
const MOST_AT_GATES = 3;

function isPlainYes({ action, takes, always }: Way): boolean {
  return action === 'restart' && takes === 'nothing' && always !== true;
}

/**
 * Returns the key that approves a model's call and adds a message. The model receives the message with the
 * result.
 */
function andMove(
  interrupt: Interrupt,
  disabled: false | { readonly disabled: string },
): readonly KeyChoice<Move>[] {
  const { kind, source } = interrupt;
  if (kind !== 'confirmation' || source.type !== 'tool' || passedOn(interrupt) !== undefined) return [];
  return [{ key: AND_KEY.key, label: AND_KEY.label, value: { type: 'and' }, yields: 'low', ...disabled }];
}

const KEPT: ReadonlySet<Way['action']> = new Set([
  'restart',
  'continue',
  'retry',
  'reject',
  'skip',
  'extend',
]);

/**
 * Returns the `yields` value of an action, which determines when the action may be left out of the key row.
 * The actions that continue, change or reject stay visible longest.
 */
function yieldsAt(kind: InterruptKind, way: Way): Pick<KeyChoice<Move>, 'yields'> {
  const isResult = kind === 'confirmation' && way.action === 'respond';
  if (way.action === 'cancel' || isResult) return { yields: 'second' };
  const isAnswered = kind !== 'confirmation' && kind !== 'error';
  const isMain = KEPT.has(way.action) || (isAnswered && way.action === 'respond');
  return way.always === true || !isMain ? { yields: 'low' } : {};
}

/** Explains the keys at a question, one per line. */
export function explained(moves: readonly KeyChoice<Move>[]): readonly string[] {
  return moves
    .filter(({ value }) => value.type !== 'row' || value.row === 0)
    .map(({ key, shown = key, label, value }) => `${shown}  ${label}: ${helpOf(value)}`);
}

function helpOf(move: Move): string {
  switch (move.type) {
    case 'way':
      return move.way.help;
    case 'and':
      return AND_KEY.help;
    case 'changed':
      return 'run the call as you changed it';
    case 'again':
      return 'change it again';
    case 'row':
      return ROW_KEYS.help;
    case 'always':
      return WAYS.always.help;
    case 'unread':
      return UNREAD_KEY.help;
    case 'view':
      return VIEW_KEY.help;
    case 'more':
      return MORE_KEY.help;
  }
}
