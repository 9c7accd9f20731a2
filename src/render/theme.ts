/** Information used to decide whether a stream gets colors. */
export interface ColourFacts {
  readonly isTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** True for `--color`, false for `--no-color`, absent if neither flag is set. */
  readonly flag?: boolean | undefined;
}

/**
 * Whether to write colors to a stream. Decided by the flag, FORCE_COLOR, NO_COLOR, HITL_NO_COLOR and the kind
 * of terminal, and finally by whether the stream is a terminal. As in Node, an empty NO_COLOR is ignored, but
 * an empty FORCE_COLOR is not.
 */
export function wantsColour({ isTTY, env, flag }: ColourFacts): boolean {
  if (flag !== undefined) return flag;
  const force = env['FORCE_COLOR'];
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (isSet(env['NO_COLOR']) || isSet(env['HITL_NO_COLOR'])) return false;
  return !isPlainTerminal(env) && isTTY;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/**
 * Whether to write only plain lines, for a limited terminal or a screen reader (`HITL_ACCESSIBLE=1`, set by
 * `--accessible`).
 */
export function isPlainTerminal(env: ColourFacts['env']): boolean {
  const asked = env['HITL_ACCESSIBLE'];
  return env['TERM'] === 'dumb' || (isSet(asked) && asked !== '0' && asked !== 'false');
}

/** The dark colors among the sixteen basic background colors, as numbered in `COLORFGBG`. */
const DARK: ReadonlySet<string> = new Set(['0', '1', '2', '3', '4', '5', '6', '8', 'default', '']);

/** Whether the environment reports a light background, for example `COLORFGBG=0;15`. */
export function isLightTerminal(env: ColourFacts['env']): boolean {
  const [ground = ''] = (env['COLORFGBG'] ?? '').split(';').slice(-1);
  return /^(?:\d|1[0-5])$/.test(ground) && !DARK.has(ground);
}

/** Whether the environment reports a terminal with at least 256 colors. `FORCE_COLOR=2` forces this. */
export function hasManyColours(env: ColourFacts['env']): boolean {
  const force = env['FORCE_COLOR'];
  if (force === '2' || force === '3') return true;
  if (force === '1') return false;
  return isSet(env['COLORTERM']) || /256|direct|kitty|alacritty|ghostty/u.test(env['TERM'] ?? '');
}

/** Adds color codes to text. In a theme without colors, returns the text unchanged. */
export type Style = (text: string) => string;

interface Symbols {
  readonly started: string;
  readonly done: string;
  readonly failed: string;
  readonly waiting: string;
  readonly edited: string;
  readonly cancelled: string;
  readonly bullet: string;
  readonly bar: string;
  readonly ellipsis: string;
  /** Marks a row that continues the line above. */
  readonly wrapped: string;
}

/** Styles and symbols. All output stays readable if the styles do nothing. */
export interface Theme {
  readonly colour: boolean;
  readonly symbols: Symbols;
  readonly strong: Style;
  readonly emphasis: Style;
  readonly struck: Style;
  readonly dim: Style;
  readonly code: Style;
  readonly heading: Style;
  readonly link: Style;
  readonly tool: Style;
  readonly success: Style;
  readonly failure: Style;
  readonly warning: Style;
  /** Style for stops caused by hitl itself, such as a limit or a pause. */
  readonly stop: Style;
  /** The part of a line that changed. */
  readonly changed: Style;
  /** Backgrounds of changed rows and of the words in them. Absent with fewer than 256 colors. */
  readonly grounds?: Readonly<Record<'removed' | 'added', { readonly row: Style; readonly words: Style }>>;
  /** Styles for tokens of code, by kind. */
  readonly syntax: Readonly<Record<'keyword' | 'string' | 'number' | 'comment' | 'name', Style>>;
}

const UNICODE: Symbols = {
  started: '→',
  done: '✓',
  failed: '✗',
  waiting: '●',
  edited: '✎',
  cancelled: '⊘',
  bullet: '•',
  bar: '│',
  ellipsis: '…',
  wrapped: '↪',
};

const ASCII: Symbols = {
  started: '>',
  done: 'ok',
  failed: 'x',
  waiting: '*',
  edited: '~',
  cancelled: '-',
  bullet: '-',
  bar: '|',
  ellipsis: '...',
  wrapped: '>',
};

export interface ThemeOptions {
  readonly colour: boolean;
  /** Whether to use only ASCII symbols. Default: false. */
  readonly ascii?: boolean;
  /** Whether to use darker colors, for a light background. Default false. */
  readonly light?: boolean;
  /** Whether the terminal has 256 colors. Default false. */
  readonly many?: boolean;
}

/** Creates a theme without colors. Does not load any library. */
export function plainTheme({ ascii = false }: Pick<ThemeOptions, 'ascii'> = {}): Theme {
  const same: Style = (text) => text;
  return {
    colour: false,
    symbols: ascii ? ASCII : UNICODE,
    strong: same,
    emphasis: same,
    struck: same,
    dim: same,
    code: same,
    heading: same,
    link: same,
    tool: same,
    success: same,
    failure: same,
    warning: same,
    stop: same,
    changed: same,
    syntax: { keyword: same, string: same, number: same, comment: same, name: same },
  };
}
