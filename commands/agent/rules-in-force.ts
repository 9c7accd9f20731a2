import type { RulePlace, SessionMode, ToolRule } from '../../src/core/index.js';
import { modeInWords, modeRules } from '../../src/core/index.js';
import type { RunFlags } from '../flags/index.js';
import type { Io } from '../host/index.js';
import type { Effective } from '../config/index.js';
import { rulePlace } from '../config/index.js';
import { modeFor } from './mode-for.js';

/** The mode of a run, and where it stands. */
interface ModeInForce {
  readonly mode: SessionMode;
  /** Default: this session. */
  readonly from?: string;
}

/** The rules of a run, those of the session’s mode among them; a person may choose another mode. */
export class RulesInForce {
  readonly #given: readonly ToolRule[];
  readonly #place: RulePlace;
  readonly #from: string;
  #mode: SessionMode;
  #all: readonly ToolRule[];

  constructor(
    io: Pick<Io, 'cwd' | 'home'>,
    { rules = [] }: Pick<RunFlags, 'rules'>,
    { mode, from = 'this session' }: ModeInForce,
  ) {
    this.#given = rules;
    this.#from = from;
    this.#place = rulePlace(io);
    this.#mode = mode;
    this.#all = this.#withMode();
  }

  get mode(): SessionMode {
    return this.#mode;
  }

  /** Says what the mode means here, in one line. */
  get modeInWords(): string {
    return modeInWords(this.#mode, this.#place);
  }

  /** Those that count now. */
  get all(): readonly ToolRule[] {
    return this.#all;
  }

  /** From now on the rules of another mode count. */
  change(mode: SessionMode): void {
    this.#mode = mode;
    this.#all = this.#withMode();
  }

  #withMode(): readonly ToolRule[] {
    return [...this.#given, ...modeRules(this.#mode, this.#place, this.#from)];
  }
}

/** The rules that a session would have here: a new one, or one that is there. */
export function rulesHere(
  io: Io,
  { flags, config, layers }: Pick<Effective, 'flags' | 'config' | 'layers'>,
  saved?: { readonly mode?: SessionMode },
): RulesInForce {
  const mode = modeFor(flags, config, saved);
  if (flags.mode !== undefined) return new RulesInForce(io, flags, { mode, from: 'the command line' });
  const layer = layers.find((one) => one.config.mode === mode);
  if (saved !== undefined && mode === (saved.mode ?? 'ask')) return new RulesInForce(io, flags, { mode });
  return new RulesInForce(io, flags, { mode, ...(layer !== undefined && { from: layer.from('mode') }) });
}

/**
 * Gives what a person is told of the mode of a session: what it means where it is not the usual one, and what it was.
 * @param saved What the session had; absent for a new one.
 */
export function modeLines(
  { mode, modeInWords }: RulesInForce,
  saved?: { readonly mode?: SessionMode },
): readonly string[] {
  const before = saved === undefined ? mode : (saved.mode ?? 'ask');
  if (before !== mode) return [`${modeInWords} (it was ${before})`];
  return mode === 'ask' ? [] : [modeInWords];
}
