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

/** The mode of a run, and where it was set. */
interface ModeInForce {
  readonly mode: SessionMode;
  /** Default: this session. */
  readonly from?: string;
  /** The tools that server rules are bound to. Default: none, so server rules do not allow anything. */
  readonly bindings?: RuleBindings;
  /** Returns the reason that mode `auto` is not available. Default: it is available. */
  readonly whyNotAuto?: () => Promise<string | undefined>;
}

/** The servers of a run, which rules can be bound to. */
interface MetServers {
  readonly tools: readonly Tool[];
  readonly connections: readonly Pick<McpConnection, 'server'>[];
}

/** Places in which users configure their own servers. A project file is not one of them. */
const OWN: ReadonlySet<string> = new Set(['your configuration', '--mcp']);

/** The rules of a run, including those of its mode, which the user can change. */
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

  /** One line that describes the mode. */
  get modeInWords(): string {
    return modeInWords(this.#mode, this.#place);
  }

  /**
   * The rules that apply, including those of the watched session. Rules for server tools specify the tools
   * that they are bound to.
   */
  get all(): readonly ToolRule[] {
    const bound = this.#given.map((rule) => this.#bindings?.bound(rule) ?? rule);
    return [...bound, ...this.#ofMode, ...this.#ofSession().map(asToolRule)];
  }

  /** Includes the rules of a session from now on. */
  watch(rules: () => readonly SessionRule[]): void {
    this.#ofSession = rules;
  }

  /**
   * Binds each server rule that is not yet bound to the matching tools of connected servers that the user
   * configured.
   * @returns notices, one line per rule
   */
  meet({ tools, connections }: MetServers): readonly string[] {
    const own = new Set(connections.flatMap(({ server }) => (OWN.has(server.from) ? [server.name] : [])));
    const theirs = tools.filter(({ mcp }) => mcp !== undefined && own.has(mcp.server));
    return this.#given.flatMap((rule) =>
      this.#bindings?.mayBind(rule) === true ? this.#bindTo(rule, theirs) : [],
    );
  }

  /**
   * Binds a rule to the matching tools that are connected, in place of its previous bindings. @returns the
   * notice
   */
  bind(rule: ToolRule, tools: Iterable<ToolDescriptor>): readonly string[] {
    return this.#bindTo(rule, [...tools]);
  }

  /**
   * When a person saves a rule while answering a question, binds the rule to the tool that was shown with the
   * question.
   */
  bindKept(rule: ToolRule, served: readonly ServedTool[]): void {
    if (served.length > 0) this.#bindings?.bind(rule, served);
  }

  /**
   * Binds the rules that would have allowed a call to the current definition of its tool. The user has seen
   * how the definition changed and approved the call.
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
    return [
      `\`${rule.text}\` is bound to ${count(served.length, 'tool')} from ${places} in their current state`,
    ];
  }

  /** Returns the reason that a mode is not available, or `undefined` if it is. */
  async whyNot(mode: SessionMode): Promise<string | undefined> {
    const why = mode === 'auto' ? await this.#whyNotAuto() : undefined;
    return why && `mode auto is not available: ${why}`;
  }

  /** Switches to another mode and its rules. */
  change(mode: SessionMode): void {
    this.#mode = mode;
    this.#ofMode = modeRules(mode, this.#place, this.#from);
  }
}

/** Returns the rules for a new or existing session in this folder. */
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
 * Returns notices about the mode of a session: its meaning, unless it is the default, and the previous mode
 * if it changed.
 * @param saved The settings of the session; absent for a new session.
 */
export function modeLines(
  { mode, modeInWords }: RulesInForce,
  saved?: { readonly mode?: SessionMode },
): readonly string[] {
  const before = saved === undefined ? mode : (saved.mode ?? 'ask');
  if (before !== mode) return [`${modeInWords} (it was ${before})`];
  return mode === 'ask' ? [] : [modeInWords];
}
