import type {
  Interrupt,
  RulePlace,
  ServedTool,
  SessionMode,
  SessionRule,
  Tool,
  ToolDescriptor,
  ToolRule,
} from '../../src/core/index.js';
import {
  asToolRule,
  concerns,
  count,
  isGrant,
  modeInWords,
  modeRules,
  outgrown,
  present,
  schemaDigest,
  servedTool,
} from '../../src/core/index.js';
import type { McpConnection } from '../../src/tools/mcp/index.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import type { Effective } from '../config/effective.js';
import { RuleBindings } from '../config/rule-bindings.js';
import { rulePlace } from '../config/project-place.js';
import { modeFor } from './mode-for.js';

/** A run's mode and its source. */
interface ModeInForce {
  readonly mode: SessionMode;
  /** Default: this session. */
  readonly from?: string;
  /** Tools bound to server rules. Default: none, so server rules allow nothing. */
  readonly bindings?: RuleBindings;
  /** Says why there is no mode `auto` here. Default: there is. */
  readonly whyNotAuto?: () => Promise<string | undefined>;
}

/** A run's servers, for binding rules. */
interface MetServers {
  readonly tools: readonly Tool[];
  readonly connections: readonly Pick<McpConnection, 'server'>[];
}

/** Places where users name their own servers; a project's file is not one. */
const OWN: ReadonlySet<string> = new Set(['your configuration', '--mcp']);

/** The rules of a run, including those of its mode, which the user may change. */
export class RulesInForce {
  readonly #given: readonly ToolRule[];
  readonly #place: RulePlace;
  readonly #from: string;
  readonly #bindings: RuleBindings | undefined;
  readonly #whyNotAuto: () => Promise<string | undefined>;
  #mode: SessionMode;
  #ofMode: readonly ToolRule[] = [];
  #ofSession: () => readonly SessionRule[] = () => [];

  constructor(
    io: Pick<Io, 'cwd' | 'home'>,
    { rules = [] }: Pick<RunFlags, 'rules'>,
    { mode, from = 'this session', bindings, whyNotAuto = async () => undefined }: ModeInForce,
  ) {
    this.#whyNotAuto = whyNotAuto;
    this.#given = rules;
    this.#from = from;
    this.#place = rulePlace(io);
    this.#bindings = bindings;
    this.#mode = mode;
    this.change(mode);
  }

  get mode(): SessionMode {
    return this.#mode;
  }

  /** Describes the mode in one line. */
  get modeInWords(): string {
    return modeInWords(this.#mode, this.#place);
  }

  /** Returns the active rules, each with its bound server tools, including the watched session's. */
  get all(): readonly ToolRule[] {
    const bound = this.#given.map((rule) => this.#bindings?.bound(rule) ?? rule);
    return [...bound, ...this.#ofMode, ...this.#ofSession().map(asToolRule)];
  }

  /** Includes a session's rules. */
  watch(rules: () => readonly SessionRule[]): void {
    this.#ofSession = rules;
  }

  /**
   * Binds rules that have met no server yet to the tools of connected servers that the user configured.
   * @returns notices, one line per rule
   */
  meet({ tools, connections }: MetServers): readonly string[] {
    const own = new Set(connections.flatMap(({ server }) => (OWN.has(server.from) ? [server.name] : [])));
    const theirs = tools.filter(({ mcp }) => mcp !== undefined && own.has(mcp.server));
    return this.#given.flatMap((rule) =>
      this.#bindings?.mayBind(rule) === true ? this.#bindTo(rule, theirs) : [],
    );
  }

  /** Binds one rule to the connected tools, replacing its bindings. @returns the notice */
  bind(rule: ToolRule, tools: Iterable<ToolDescriptor>): readonly string[] {
    return this.#bindTo(rule, [...tools]);
  }

  /** Binds a rule that a person keeps at a question to the tool that it was shown with. */
  bindKept(rule: ToolRule, served: readonly ServedTool[]): void {
    if (served.length > 0) this.#bindings?.bind(rule, served);
  }

  /**
   * Binds rules that would allow a call to the tool's current definition: the user saw the difference and
   * approved the call.
   */
  agreed({ source, bound, payload }: Interrupt, tool: ToolDescriptor | undefined): void {
    if (source.type !== 'tool' || tool === undefined || bound === undefined) return;
    const isAsShown = bound.tool === schemaDigest(tool) && bound.code === tool.code;
    const now = servedTool(tool);
    if (!isAsShown || now === undefined) return;
    const given = this.#given.map((rule) => this.#bindings?.bound(rule) ?? rule);
    for (const rule of outgrown(given, { name: source.name, input: source.input, payload, tool }))
      if (concerns(rule, tool)) this.#bindings?.bind(rule, [now]);
  }

  /** Resolves when the bindings are saved. @throws HitlError SAVE_FAILED */
  async kept(): Promise<void> {
    await this.#bindings?.kept();
  }

  #bindTo(rule: ToolRule, tools: readonly ToolDescriptor[]): readonly string[] {
    const { effect, tool: name, problem } = rule;
    if (!isGrant(effect) || name === '*' || problem !== undefined || this.#bindings === undefined) return [];
    const served = tools.flatMap((tool): ServedTool[] => {
      const found = concerns(rule, tool) ? servedTool(tool) : undefined;
      return found === undefined ? [] : [found];
    });
    if (served.length === 0) return [];
    this.#bindings.bind(rule, served);
    const places = [...new Set(served.map(({ reached }) => reached))].join(', ');
    return [`\`${rule.text}\` is bound to ${count(served.length, 'tool')} of ${places}, as they are now`];
  }

  /** Says why a mode is not possible here; `undefined` if it is. */
  async whyNot(mode: SessionMode): Promise<string | undefined> {
    const why = mode === 'auto' ? await this.#whyNotAuto() : undefined;
    return why && `mode auto is not possible: ${why}`;
  }

  /** Applies another mode's rules from now on. */
  change(mode: SessionMode): void {
    this.#mode = mode;
    this.#ofMode = modeRules(mode, this.#place, this.#from);
  }
}

/** Returns the rules of a new or existing session here. */
export async function rulesHere(
  io: Io,
  { flags, config, layers }: Pick<Effective, 'flags' | 'config' | 'layers'>,
  saved?: { readonly mode?: SessionMode },
): Promise<RulesInForce> {
  const bindings = await RuleBindings.read(io, { saves: flags.save === true });
  const mode = modeFor(flags, config, saved);
  if (flags.mode !== undefined)
    return new RulesInForce(io, flags, { mode, from: 'the command line', bindings });
  const layer = layers.find((one) => one.config.mode === mode);
  if (saved !== undefined && mode === (saved.mode ?? 'ask'))
    return new RulesInForce(io, flags, { mode, bindings });
  return new RulesInForce(io, flags, { mode, bindings, ...present({ from: layer?.from('mode') }) });
}

/**
 * Returns notices about a session's mode: its meaning unless it is the default, and the previous one.
 * @param saved The session's settings; absent for a new one.
 */
export function modeLines(
  { mode, modeInWords }: RulesInForce,
  saved?: { readonly mode?: SessionMode },
): readonly string[] {
  const before = saved === undefined ? mode : (saved.mode ?? 'ask');
  if (before !== mode) return [`${modeInWords} (it was ${before})`];
  return mode === 'ask' ? [] : [modeInWords];
}
