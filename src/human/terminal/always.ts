import type { AlwaysOffer, SessionSize } from '../../core/index.js';
import { escapeText } from '../../core/index.js';
import type { KeyChoice } from '../prompt/index.js';

/** For how long an approval of later calls counts. */
export type AlwaysFor = 'session' | 'folder';

/** The effect of a key where the sizes of an approval are offered. */
export type AlwaysMove =
  { readonly type: 'take'; readonly offer: AlwaysOffer } | { readonly type: 'turn'; readonly to: AlwaysFor };

const KEYS: Readonly<Record<SessionSize, string>> = {
  call: 'c',
  words: 'p',
  folder: 'd',
  host: 'h',
  tool: 't',
};
const LABELS: Readonly<Record<SessionSize, string>> = {
  call: 'this call',
  words: 'this program',
  folder: 'this folder',
  host: 'this host',
  tool: 'this tool',
};

/** The content of the menu. */
export interface AlwaysMenu {
  readonly offers: readonly AlwaysOffer[];
  readonly counts: AlwaysFor;
  /** Whether a rule can be kept here. */
  readonly keeps: boolean;
  /** The widest was pressed once. */
  readonly sure: boolean;
}

/** Each size with what it then allows, and what it never does. */
export function alwaysLines({ offers, counts, sure }: AlwaysMenu): readonly string[] {
  return [
    counts === 'session'
      ? 'Without a question, in this session:'
      : 'Without a question, in this folder (kept as your rule):',
    ...offers.flatMap((offer) => {
      const { size, says, never } = offer;
      const why = isOffered(offer, counts) ? '' : '; no rule that is kept can say that';
      const twice = size === 'tool' ? (sure ? '; press t again' : '; press t twice') : '';
      return [`${KEYS[size]}  ${escapeText(says)}${twice}${why}`, `   never: ${never}`];
    }),
  ];
}

/** The keys of the menu. */
export function alwaysChoices({ offers, counts, keeps }: AlwaysMenu): readonly KeyChoice<AlwaysMove>[] {
  const to = counts === 'session' ? 'folder' : 'session';
  return [
    ...offers.map((offer): KeyChoice<AlwaysMove> => ({
      key: KEYS[offer.size],
      label: LABELS[offer.size],
      value: { type: 'take', offer },
      ...(!isOffered(offer, counts) && { disabled: 'no rule that is kept can say that; s for this session' }),
    })),
    ...(keeps
      ? [
          {
            key: to === 'folder' ? 'f' : 's',
            label: to === 'folder' ? 'for this folder, as your rule' : 'for this session',
            value: { type: 'turn', to } as const,
          },
        ]
      : []),
  ];
}

function isOffered({ rule }: AlwaysOffer, counts: AlwaysFor): boolean {
  return counts === 'session' || rule !== undefined;
}
