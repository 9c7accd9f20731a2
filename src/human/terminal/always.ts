import type { AlwaysOffer } from '../../core/index.js';
import { escapeText } from '../../core/index.js';
import type { KeyChoice } from '../prompt/key-prompt.js';
import { ALWAYS_FOR, ALWAYS_KEYS, lastingHead, NO_SUCH_RULE, twiceWords } from '../question/key-words.js';

/** How long, or where, later calls are approved. */
export type AlwaysFor = 'session' | 'folder';

/** The effect of a key in the menu of scopes. */
export type AlwaysMove =
  | { readonly type: 'take'; readonly offer: AlwaysOffer }
  | { readonly type: 'turn'; readonly to: AlwaysFor };

/** The content of the menu of scopes for approving later calls. */
export interface AlwaysMenu {
  readonly offers: readonly AlwaysOffer[];
  readonly counts: AlwaysFor;
  /** Whether an approval can be saved as a rule. */
  readonly keeps: boolean;
  /** How long the approval is valid, as text. Absent if it does not expire. */
  readonly lasts?: string;
  /** Whether the key of the widest scope has been pressed once. */
  readonly sure: boolean;
}

/** Returns the lines of the menu. They state what each scope allows and what it never allows. */
export function alwaysLines({ offers, counts, keeps, lasts, sure }: AlwaysMenu): readonly string[] {
  return [
    lasts === undefined ? ALWAYS_FOR[counts].head : lastingHead(lasts),
    ...offers.flatMap((offer) => {
      const { size, says, never } = offer;
      const why = isOffered(offer, counts) ? '' : `; ${NO_SUCH_RULE}`;
      const twice = size === 'tool' ? `; ${twiceWords(sure)}` : '';
      return [`${ALWAYS_KEYS[size].key}  ${escapeText(says)}${twice}${why}`, `   ${never}`];
    }),
    ...(keeps ? [`${turnOf(counts).key}  ${turnOf(counts).label}`] : []),
  ];
}

/** Returns the key that switches to the other duration. */
function turnOf(counts: AlwaysFor) {
  return ALWAYS_FOR[counts === 'session' ? 'folder' : 'session'];
}

/** Returns the menu's keys. */
export function alwaysChoices({ offers, counts, keeps }: AlwaysMenu): readonly KeyChoice<AlwaysMove>[] {
  const to = counts === 'session' ? 'folder' : 'session';
  return [
    ...offers.map((offer): KeyChoice<AlwaysMove> => ({
      ...ALWAYS_KEYS[offer.size],
      value: { type: 'take', offer },
      ...(!isOffered(offer, counts) && {
        disabled: `${NO_SUCH_RULE} · ${ALWAYS_FOR.session.key} ${ALWAYS_FOR.session.label}`,
      }),
    })),
    ...(keeps
      ? [{ key: ALWAYS_FOR[to].key, label: ALWAYS_FOR[to].label, value: { type: 'turn', to } as const }]
      : []),
  ];
}

function isOffered({ rule }: AlwaysOffer, counts: AlwaysFor): boolean {
  return counts === 'session' || rule !== undefined;
}
