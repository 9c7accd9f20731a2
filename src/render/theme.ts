/** The facts of a stream by which its colours are decided. */
export interface ColourFacts {
  readonly isTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `--color` is true, `--no-color` is false; absent where neither was given. */
  readonly flag?: boolean | undefined;
}

/**
 * Whether to write colours to a stream, decided once: flag, then FORCE_COLOR, NO_COLOR, HITL_NO_COLOR, a plain terminal, and
 * last whether it is a terminal. An empty NO_COLOR does not count, an empty FORCE_COLOR does, as in Node itself.
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
 * Whether lines are written to a person and nothing else: a terminal that says it can do little, or somebody who says
 * that a screen reader reads it (`HITL_ACCESSIBLE=1`, and `--accessible`, which sets it).
 */
export function isPlainTerminal(env: ColourFacts['env']): boolean {
  const asked = env['HITL_ACCESSIBLE'];
  return env['TERM'] === 'dumb' || (isSet(asked) && asked !== '0' && asked !== 'false');
}

/** The colours of a dark background among the first sixteen, as `COLORFGBG` counts them. */
const DARK: ReadonlySet<string> = new Set(['0', '1', '2', '3', '4', '5', '6', '8', 'default', '']);

/** Whether a terminal says in its environment that its background is light: `COLORFGBG=0;15`. */
export function isLightTerminal(env: ColourFacts['env']): boolean {
  const [ground = ''] = (env['COLORFGBG'] ?? '').split(';').slice(-1);
  return /^(?:\d|1[0-5])$/.test(ground) && !DARK.has(ground);
}

/** A style: gives back its text in colours, or unchanged where there are none. */
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
  /** Before a row that goes on with the line above it. */
  readonly wrapped: string;
}

/** The look of things. Everything that is shown stays readable when all styles do nothing. */
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
  /** Stops of hitl itself: a limit, a pause. */
  readonly stop: Style;
  /** The part of a changed line that is another. */
  readonly changed: Style;
  /** Pieces of code, by what they are. */
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
  /** Only ASCII symbols of our own. Default false. */
  readonly ascii?: boolean;
  /** Darker colours, for a light background. Default false. */
  readonly light?: boolean;
}

/** A theme without colours; it needs no library, so that what has none to show loads none. */
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
