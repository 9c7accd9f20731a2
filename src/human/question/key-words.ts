// The words of keys: what a row of them says beside the ways to answer (`src/core/ways`), where a window stands, and what
// is said to a key that does not count.
import type { Interrupt, SessionSize } from '../../core/index.js';
import { count, durationText } from '../../core/index.js';

/** Key that opens the full view, with its label and help text. */
export const VIEW_KEY = {
  key: 'v',
  label: 'view all',
  help: 'show the full request, page by page',
} as const;
export const UNREAD_KEY = {
  key: 'u',
  label: 'unread…',
  help: 'approve without reading the rest; the number of unread rows is recorded',
} as const;
/** Key that approves and adds a message for the model. */
export const AND_KEY = {
  key: 'Tab',
  label: 'yes, and…',
  help: 'approve, and send the model a message with the result',
} as const;
/** Label and help text of the digit keys that remove rows of a grant. */
export const ROW_KEYS = { label: 'take out', help: 'take this row out, and ask about the rest' } as const;
export const MORE_KEY = { key: '?', label: 'more', help: 'show all keys, and the details' } as const;

/** Label and scroll direction of the approval key while there are unread rows. */
export const NEXT_PAGE = { label: 'read on', scrolls: 'unread' } as const;
/**
 * Message shown if Shift-Tab is pressed while a question is open, because the mode cannot be changed then.
 */
export const NO_MODE_HERE = 'The mode can’t be changed while a question is open. Answer it first.';
/** Message shown if the full question is already on the screen. */
export const ALL_SHOWN = 'The full request is on the screen.';

/** Help text for the keys that do not answer and are not in the key row. */
export const OTHER_KEYS = {
  later: 'Esc  answer later: Tab at the prompt asks again',
  list: 'Esc  back: return to the list of questions',
  folds: 'Ctrl-O  full output: expand the folded rows above',
  mode: 'Shift-Tab  change the mode (only at the prompt)',
  scroll: '↑ ↓ Space PgUp PgDn Home End  scroll the question',
} as const;

/** Help text for the keys that scroll a window. */
export const SCROLL_KEYS = '↑ ↓ Space scroll';
export const PAGER_KEYS = {
  next: 'Space next page',
  back: 'q back',
  move: '↑↓ PgUp PgDn',
  search: '/ search',
  found: 'n next · N previous',
} as const;

/** Key that expands folded output and folds it again. */
export const FOLDS_KEY = 'Ctrl-O';

/** Messages in a view: the search term was not found, or a question is waiting. */
export const NOT_FOUND = 'not found';
export const ASKED_MEANWHILE = 'a question is waiting';

/** Describes the rows that a window shows: `1–4 of 12`. */
export function placeWords(first: number, last: number, all: number): string {
  return `${first}–${last} of ${all}`;
}

/** Describes a question's position among several: `1 of 2`. */
export function positionWords({
  index,
  count: all,
}: {
  readonly index: number;
  readonly count: number;
}): string {
  return `${index} of ${all}`;
}

/** `both`, `all 3`. */
export function allWords(all: number): string {
  return all === 2 ? 'both' : `all ${all}`;
}

/** Describes the number of rows that are left to read. */
export function notSeenWords(unseen: number): string {
  return `${count(unseen, 'row')} left to read`;
}

/** Describes the number of rows to read before an approval key works, and how to show them. */
export function firstSeeWords(unseen: number): string {
  return `${notSeenWords(unseen)} · Space shows more`;
}

/** Reason that keys are disabled if the screen is too small for the question. */
export const TOO_SMALL = 'Terminal too small for this question. Enlarge it.';

/** The reason that a key was ignored. */
export type Refused = 'early' | 'burst' | 'paste' | 'typed' | 'rest';

const REFUSED: Readonly<Record<Refused, string>> = {
  early: 'Ignored: too soon. Pause, then press a key.',
  burst: 'Ignored: several keys at once. Press one key.',
  paste: 'Ignored: pasted text. Press one key.',
  typed: 'The text you were typing is still in your line. Pause, then press a key.',
  rest: 'Ignored: the rest of what you were typing. Pause, then press a key.',
};

/** Explains why a key was ignored and how to proceed. */
export function refusedWords(why: Refused): string {
  return REFUSED[why];
}

/** Lists the accepted keys. */
export function pressWords(keys: readonly string[]): string {
  const isCut = keys.includes('?') && keys.length > 4;
  const named = isCut ? keys.slice(0, 3) : keys;
  const all = named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} or ${named.at(-1) ?? ''}`;
  return `Press ${all}${isCut ? ' (? for more)' : ''}`;
}

/** Keys for the scopes of an approval. */
export const ALWAYS_KEYS: Readonly<Record<SessionSize, { readonly key: string; readonly label: string }>> = {
  call: { key: 'c', label: 'this exact call' },
  words: { key: 'p', label: 'this command' },
  folder: { key: 'd', label: 'files there' },
  host: { key: 'h', label: 'this host' },
  tool: { key: 't', label: 'this tool' },
};

/**
 * The possible durations of an approval: the key that switches to it, its label, and the heading above the
 * scopes.
 */
export const ALWAYS_FOR = {
  session: { key: 's', label: 'for this session', head: 'Don’t ask again in this session for:' },
  folder: {
    key: 'f',
    label: 'save as a rule',
    head: 'Don’t ask again in this folder (saved as a rule) for:',
  },
} as const;

/** Returns the menu heading for an approval that expires. @param lasts from `lastingWords` */
export function lastingHead(lasts: string): string {
  return `Don’t ask again in this session ${lasts} (until the approval expires) for:`;
}

/** Describes how long an approval is valid. Returns `undefined` if it does not expire. */
export function lastingWords({
  approvalLastsMs,
  expiresAt,
}: Pick<Interrupt, 'approvalLastsMs' | 'expiresAt'>): string | undefined {
  if (approvalLastsMs !== undefined) return `for ${durationText(approvalLastsMs)}`;
  return expiresAt === undefined ? undefined : `until ${expiresAt}`;
}

/** Message for a scope that cannot be saved as a rule. */
export const NO_SUCH_RULE = 'This can’t be saved as a rule';

/**
 * Describes how many more times the key of the widest scope must be pressed. It takes two presses in total.
 */
export function twiceWords(isSure: boolean): string {
  const { key } = ALWAYS_KEYS.tool;
  return isSure ? `press ${key} again` : `press ${key} twice`;
}
