import type { InterruptKind, Way } from '../../core/index.js';
import { WAYS, waysAt } from '../../core/index.js';
import type { KeyChoice } from '../prompt/key-prompt.js';
import type { QuestionView } from '../question/question-text.js';
import { MORE_KEY, VIEW_KEY } from '../question/key-words.js';
import { passedOn } from '../question/form-fields.js';

/** The effect of a key at a question. */
export type Move =
  | { readonly type: 'way'; readonly way: Way }
  /** Offers the scopes of later approvals. */
  | { readonly type: 'always' }
  | { readonly type: 'view' }
  | { readonly type: 'more' };

export interface MoveOptions {
  /** Why nothing can be started now: not all of the question was on screen. */
  readonly refusal?: string | undefined;
  /** Whether this user may approve later calls here. */
  readonly always: boolean;
}

/** The keys at a question, in the order in which they are shown. */
export function movesOf({ interrupt }: QuestionView, options: MoveOptions): readonly KeyChoice<Move>[] {
  // What each call is to be given cannot be approved for later ones.
  const always = options.always && passedOn(interrupt) === undefined;
  const offered = waysAt(interrupt).filter((way) => way.always !== true || always);
  return [
    ...offered.map((way): KeyChoice<Move> => ({
      key: way.key,
      label: way.label,
      value: way.always === true ? { type: 'always' } : { type: 'way', way },
      ...(options.refusal !== undefined && way.starts && { disabled: options.refusal }),
      ...yieldsOf(way, interrupt.kind),
    })),
    { key: VIEW_KEY.key, label: VIEW_KEY.label, value: { type: 'view' }, yields: 'first' },
    { key: MORE_KEY.key, label: MORE_KEY.label, value: { type: 'more' } },
  ];
}

const KEPT: ReadonlySet<Way['action']> = new Set([
  'restart',
  'continue',
  'retry',
  'reject',
  'skip',
  'extend',
]);

/** The actions that continue, edit and reject stay visible longest. */
function yieldsOf(way: Way, kind: InterruptKind): Pick<KeyChoice<Move>, 'yields'> {
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
    case 'view':
      return VIEW_KEY.help;
    case 'more':
      return MORE_KEY.help;
  }
}
