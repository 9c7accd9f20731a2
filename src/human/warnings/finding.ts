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
  /** A warning from a tool's approval check. */
  | 'approval'
  | 'changed'
  /** It was open in a backup. */
  | 'restored';

/** A warning drawn outside the quoted value; `message` and `place` are safe for a terminal. */
export interface Warning {
  readonly kind: WarningKind;
  readonly message: string;
  /** Location: `command`, `args[2].name`, `key of headers`; empty for the value itself. */
  readonly place: string;
}

/** A finding without its location. */
export type Finding = Omit<Warning, 'place'>;

/** `U+043E` for a character. */
export function pointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Escaped text of at most 40 characters, for quoting inside a message. */
export function excerpt(text: string): string {
  const points = Array.from(text.slice(0, 82));
  return points.length > 40 ? `${escapeText(points.slice(0, 40).join(''))}…` : escapeText(text);
}
