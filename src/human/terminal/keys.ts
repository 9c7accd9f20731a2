import type { InterruptKind, Way } from '../../core/index.js';
import { WAYS, waysAt } from '../../core/index.js';
import type { KeyChoice } from '../prompt/key-prompt.js';
import type { QuestionView } from '../question/question-text.js';
import { MORE_KEY, UNREAD_KEY, VIEW_KEY } from '../question/key-words.js';
import { passedOn } from '../question/form-fields.js';

/** The effect of a key at a question. */
export type Move =
  | { readonly type: 'way'; readonly way: Way }
  /** Offers the scopes of later approvals. */
  | { readonly type: 'always' }
  /** Approves what was not shown whole. */
  | { readonly type: 'unread' }
  | { readonly type: 'view' }
  | { readonly type: 'more' };

export interface MoveOptions {
  /** Why nothing can be started now: not all of the question was on screen. */
  readonly refusal?: string | undefined;
  /** Whether this user may approve later calls here. */
  readonly always: boolean;
  /** Whether it may be approved although not all of it was on the screen. */
  readonly unread?: boolean;
}

/** The keys at a question, in the order in which they are shown. */
export function movesOf({ interrupt }: QuestionView, options: MoveOptions): readonly KeyChoice<Move>[] {
  // What each call is to be given cannot be approved for later ones.
  const always = options.always && passedOn(interrupt) === undefined;
  const offered = waysAt(interrupt).filter((way) => way.always !== true || always);
  const isGate = interrupt.kind === 'gate';
  const main = AT_GATES.filter((action) => offered.some((way) => way.action === action)).slice(
    0,
    MOST_AT_GATES,
  );
  const yieldsOf = (way: Way): Pick<KeyChoice<Move>, 'yields'> =>
    isGate ? (main.includes(way.action) ? {} : { yields: 'list' }) : yieldsAt(interrupt.kind, way);
  return [
    ...offered.map((way): KeyChoice<Move> => ({
      key: way.key,
      label: way.label,
      value: way.always === true ? { type: 'always' } : { type: 'way', way },
      ...(options.refusal !== undefined && way.starts && { disabled: options.refusal }),
      ...yieldsOf(way),
    })),
    ...(options.unread === true
      ? [{ key: UNREAD_KEY.key, label: UNREAD_KEY.label, value: { type: 'unread' }, yields: 'low' } as const]
      : []),
    {
      key: VIEW_KEY.key,
      label: VIEW_KEY.label,
      value: { type: 'view' },
      yields: isGate ? 'list' : 'first',
    },
    { key: MORE_KEY.key, label: MORE_KEY.label, value: { type: 'more' } },
  ];
}

/** The ways that stand in the row of keys at a gate, as many as there is room for beside each other; the list has the rest. */
const AT_GATES: readonly Way['action'][] = ['continue', 'update-state', 'reject', 'respond', 'skip', 'rerun'];
const MOST_AT_GATES = 3;

const KEPT: ReadonlySet<Way['action']> = new Set([
  'restart',
  'continue',
  'retry',
  'reject',
  'skip',
  'extend',
]);

/** The ways that stay in sight longest are those to go on, to change and to refuse. */
function yieldsAt(kind: InterruptKind, way: Way): Pick<KeyChoice<Move>, 'yields'> {
  if (way.action === 'cancel') return { yields: 'second' };
  const isMain = KEPT.has(way.action) || (kind !== 'confirmation' && way.action === 'respond');
  return way.always === true || !isMain ? { yields: 'low' } : {};
}

/** Explains each key at a question, one line each. */
export function explained(moves: readonly KeyChoice<Move>[]): readonly string[] {
  return moves.map(({ key, label, value }) => `${key}  ${label}: ${helpOf(value)}`);
}

function helpOf(move: Move): string {
  switch (move.type) {
    case 'way':
      return move.way.help;
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
