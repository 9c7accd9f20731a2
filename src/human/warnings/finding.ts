import { escapeText } from '../../core/index.js';

export type WarningKind =
  | 'control'
  | 'invisible'
  | 'bidi'
  | 'padding'
  | 'combining'
  | 'long'
  | 'mixed-script'
  | 'lookalike-punctuation'
  | 'non-ascii-digits'
  | 'duplicate-key'
  | 'precision'
  | 'normalisation'
  | 'substitution'
  | 'url-userinfo'
  | 'decode-and-run'
  | 'ambiguous-choices'
  /** Warning from the approval check of a tool. */
  | 'approval'
  | 'changed'
  /** The question was open in a backup that has been restored. */
  | 'restored';

/** A warning shown outside the quoted value. `message` and `place` are safe for a terminal. */
export interface Warning {
  readonly kind: WarningKind;
  readonly message: string;
  /** Location, such as `command`, `args[2].name` or `key of headers`. Empty for the value itself. */
  readonly place: string;
}

/** A finding without its location. */
export type Finding = Omit<Warning, 'place'>;

/** Formats a character's code point: `U+043E`. */
export function pointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Returns at most 40 characters of escaped text, for quoting in a message. */
export function excerpt(text: string): string {
  const points = Array.from(text.slice(0, 82));
  return points.length > 40 ? `${escapeText(points.slice(0, 40).join(''))}…` : escapeText(text);
}
