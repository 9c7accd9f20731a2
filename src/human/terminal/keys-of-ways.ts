import type { Interrupt, ResolutionAction } from '../../core/index.js';
import type { KeyChoice } from '../prompt/index.js';
import type { QuestionView, Verb } from '../question/index.js';

/** What a key at a question does. */
export type Move =
  | { readonly type: 'verb'; readonly verb: Verb }
  /** Approve, and the same for every later call of this tool in the session. */
  | { readonly type: 'always'; readonly verb: Verb }
  | { readonly type: 'view' }
  | { readonly type: 'explain' };

/** Keys for ways to answer that have no key of their own everywhere. */
const KEYS: Readonly<Partial<Record<ResolutionAction, string>>> = {
  rerun: 'g',
  'go-back': 'b',
  skip: 's',
  'change-condition': 'w',
  defer: 'd',
  pause: 'p',
  extend: 'x',
  retry: 'r',
};

const ALWAYS_KEY = 'w';

/** Ways to answer after which something runs that would not have run: they need the whole question to be seen. */
const RUNS: ReadonlySet<ResolutionAction> = new Set<ResolutionAction>([
  'restart',
  'retry',
  'continue',
  'skip',
  'rerun',
  'go-back',
  'update-state',
  'change-condition',
  'extend',
]);

/** True where the prompt offers to approve every later call of the tool: only a call that can be approved as shown. */
function offersAlways({ kind, source, allowed }: Interrupt): boolean {
  return kind === 'confirmation' && source.type === 'tool' && allowed.includes('restart');
}

export interface MoveOptions {
  /** Something is not on the screen, and has not been viewed. */
  readonly unseen: boolean;
  /** Whether this person may approve later calls here as well. */
  readonly always: boolean;
}

/** The keys at a question, in the order in which they are shown. */
export function movesOf(view: QuestionView, options: MoveOptions): readonly KeyChoice<Move>[] {
  const moves: KeyChoice<Move>[] = [];
  for (const verb of view.verbs) {
    const key = verb.key ?? KEYS[verb.action];
    if (key === undefined) continue;
    const disabled =
      options.unseen && RUNS.has(verb.action)
        ? { disabled: 'press v first: not all of it is on the screen' }
        : {};
    moves.push({ key, label: verb.label, value: { type: 'verb', verb }, ...disabled });
    if (verb.key === 'y' && options.always && offersAlways(view.interrupt)) {
      moves.push({
        key: ALWAYS_KEY,
        label: 'approve, and always in this session',
        value: { type: 'always', verb },
        ...disabled,
      });
    }
  }
  return [
    ...moves,
    { key: 'v', label: 'view whole', value: { type: 'view' } },
    { key: '?', label: 'explain', value: { type: 'explain' } },
  ];
}

/** What each key at a question does, a line each. */
export function explained(moves: readonly KeyChoice<Move>[]): readonly string[] {
  return moves.map(({ key, value }) => `${key}  ${helpOf(value)}`);
}

function helpOf(move: Move): string {
  switch (move.type) {
    case 'verb':
      return `${move.verb.label}: ${move.verb.help}`;
    case 'always':
      return 'approve, and run every later call of this tool in this session without asking, whatever its input; `/rules` shows and takes back';
    case 'view':
      return 'view whole: everything that is asked, nothing left out, page by page';
    case 'explain':
      return 'explain: this list';
  }
}
