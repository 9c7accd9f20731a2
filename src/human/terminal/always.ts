import type { AlwaysOffer } from '../../core/index.js';
import { escapeText } from '../../core/index.js';
import type { KeyChoice } from '../prompt/key-prompt.js';
import { ALWAYS_FOR, ALWAYS_KEYS, lastingHead, NO_SUCH_RULE, twiceWords } from '../question/key-words.js';

/** Duration of an approval of later calls. */
export type AlwaysFor = 'session' | 'folder';

/** Effect of a key in the scope menu. */
export type AlwaysMove =
  | { readonly type: 'take'; readonly offer: AlwaysOffer }
  | { readonly type: 'turn'; readonly to: AlwaysFor };

/** The content of the menu. */
export interface AlwaysMenu {
  readonly offers: readonly AlwaysOffer[];
  readonly counts: AlwaysFor;
  /** Whether rules can be saved. */
  readonly keeps: boolean;
  /** Validity of the approval as text; absent: no end. */
  readonly lasts?: string;
  /** The widest scope was pressed once. */
  readonly sure: boolean;
}

/** Each size with what it then allows, and what it never does. */
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

/** The key for the other time. */
function turnOf(counts: AlwaysFor) {
  return ALWAYS_FOR[counts === 'session' ? 'folder' : 'session'];
}

/** The keys of the menu. */
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
