// The words of keys: what a row of them says beside the ways to answer (`src/core/ways`), where a window stands, and what
// is said to a key that does not count.
import type { Interrupt, SessionSize } from '../../core/index.js';
import { count, durationText } from '../../core/index.js';

/** Keys at a question that answer nothing: their labels, and what the list of keys says of them. */
export const VIEW_KEY = {
  key: 'v',
  label: 'view whole',
  help: 'everything that is asked, nothing left out, page by page',
} as const;
export const MORE_KEY = { key: '?', label: 'more', help: 'this list' } as const;

/** The keys that move a window, and those of the view of the whole. */
export const SCROLL_KEYS = '↑ ↓ Space scroll';
export const PAGER_KEYS = { next: 'Space next page', back: 'q back', move: '↑↓ PgUp PgDn' } as const;

/** Says which rows of all a window shows: `1–4 of 12`. */
export function placeWords(first: number, last: number, all: number): string {
  return `${first}–${last} of ${all}`;
}

/** Says which question this is, where several wait: `1 of 2`. */
export function positionWords({
  index,
  count: all,
}: {
  readonly index: number;
  readonly count: number;
}): string {
  return `${index} of ${all}`;
}

/** Says how much was not on the screen. */
export function notSeenWords(unseen: number): string {
  return `${count(unseen, 'row')} not seen yet`;
}

/** Says why a key that starts something does not work now. */
export function firstSeeWords(unseen: number): string {
  return `${notSeenWords(unseen)}: Space shows more`;
}

/** Says why such a key does not work on a screen that has no room for the question. */
export const TOO_SMALL = 'the terminal is too small for this question: make it larger';

/** The reason why a key did not count. */
export type Refused = 'early' | 'burst' | 'paste';

const REFUSED: Readonly<Record<Refused, string>> = {
  early: 'that key came too early to be meant for this question',
  burst: 'several keys at once decide nothing',
  paste: 'a paste decides nothing',
};

/** Says why a key did not count, and what to do. */
export function refusedWords(why: Refused): string {
  return `${REFUSED[why]}; press one key`;
}

/** Names the keys that count. */
export function pressWords(keys: readonly string[]): string {
  return `press ${keys.join(', ')}`;
}

/** The sizes in which later calls are approved too. */
export const ALWAYS_KEYS: Readonly<Record<SessionSize, { readonly key: string; readonly label: string }>> = {
  call: { key: 'c', label: 'this call' },
  words: { key: 'p', label: 'this program' },
  folder: { key: 'd', label: 'this folder' },
  host: { key: 'h', label: 'this host' },
  tool: { key: 't', label: 'this tool' },
};

/** For how long they count: the key that changes it, and the line above the sizes. */
export const ALWAYS_FOR = {
  session: { key: 's', label: 'for this session', head: 'Without a question, in this session:' },
  folder: {
    key: 'f',
    label: 'for this folder, as your rule',
    head: 'Without a question, in this folder (kept as your rule):',
  },
} as const;

/** The head of the menu for an approval that ends. @param lasts the words of `lastingWords` */
export function lastingHead(lasts: string): string {
  return `Without a question, in this session ${lasts}, as an approval lasts:`;
}

/** Says how long an approval counts; `undefined` where it has no end. */
export function lastingWords({
  approvalLastsMs,
  expiresAt,
}: Pick<Interrupt, 'approvalLastsMs' | 'expiresAt'>): string | undefined {
  if (approvalLastsMs !== undefined) return `for ${durationText(approvalLastsMs)}`;
  return expiresAt === undefined ? undefined : `until ${expiresAt}`;
}

/** Of a size that no rule can keep. */
export const NO_SUCH_RULE = 'no rule that is kept can say that';

/** The widest size is taken only by a key pressed twice. */
export function twiceWords(isSure: boolean): string {
  const { key } = ALWAYS_KEYS.tool;
  return isSure ? `press ${key} again` : `press ${key} twice`;
}
