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

/** The mode of a run, and where it stands. */
interface ModeInForce {
  readonly mode: SessionMode;
  /** Default: this session. */
  readonly from?: string;
  /** What rules for tools of servers are bound to. Default: nothing, so that they allow none. */
  readonly bindings?: RuleBindings;
}

/** The servers of a run, as rules are bound to them. */
interface MetServers {
  readonly tools: readonly Tool[];
  readonly connections: readonly Pick<McpConnection, 'server'>[];
}

/** The places in which a person named a server for themselves; a project's file is none. */
const OWN: ReadonlySet<string> = new Set(['your configuration', '--mcp']);

/** The rules of a run, those of the session’s mode among them; a person may choose another mode. */
export class RulesInForce {
  readonly #given: readonly ToolRule[];
  readonly #place: RulePlace;
  readonly #from: string;
  readonly #bindings: RuleBindings | undefined;
  #mode: SessionMode;
  #ofMode: readonly ToolRule[] = [];
  #ofSession: () => readonly SessionRule[] = () => [];

  constructor(
    io: Pick<Io, 'cwd' | 'home'>,
    { rules = [] }: Pick<RunFlags, 'rules'>,
    { mode, from = 'this session', bindings }: ModeInForce,
  ) {
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

  /** Says what the mode means here, in one line. */
  get modeInWords(): string {
    return modeInWords(this.#mode, this.#place);
  }

  /** Those that count now, each with the tools of servers that it is bound to; those of the session that is watched too. */
  get all(): readonly ToolRule[] {
    const bound = this.#given.map((rule) => this.#bindings?.bound(rule) ?? rule);
    return [...bound, ...this.#ofMode, ...this.#ofSession().map(asToolRule)];
  }

  /** Counts the rules of a session among them. */
  watch(rules: () => readonly SessionRule[]): void {
    this.#ofSession = rules;
  }

  /**
   * Binds the rules that no server was met for yet to the tools of servers that are there, where the person named the
   * server for themselves.
   * @returns what a person is told, a line for each rule
   */
  meet({ tools, connections }: MetServers): readonly string[] {
    const own = new Set(connections.flatMap(({ server }) => (OWN.has(server.from) ? [server.name] : [])));
    const theirs = tools.filter(({ mcp }) => mcp !== undefined && own.has(mcp.server));
    return this.#given.flatMap((rule) =>
      this.#bindings?.mayBind(rule) === true ? this.#bindTo(rule, theirs) : [],
    );
  }

  /** Binds one rule to the tools that are there, whatever it was bound to. @returns what a person is told */
  bind(rule: ToolRule, tools: Iterable<ToolDescriptor>): readonly string[] {
    return this.#bindTo(rule, [...tools]);
  }

  /** Binds a rule that a person keeps at a question to the tool that it was shown with. */
  bindKept(rule: ToolRule, served: readonly ServedTool[]): void {
    if (served.length > 0) this.#bindings?.bind(rule, served);
  }

  /** Binds the rules that would allow a call to its tool as it is: a person saw how it differs, and agreed to the call. */
  agreed({ source, bound, payload }: Interrupt, tool: ToolDescriptor | undefined): void {
    if (source.type !== 'tool' || tool === undefined || bound === undefined) return;
    const isAsShown = bound.tool === schemaDigest(tool) && bound.code === tool.code;
    const now = servedTool(tool);
    if (!isAsShown || now === undefined) return;
    const given = this.#given.map((rule) => this.#bindings?.bound(rule) ?? rule);
    for (const rule of outgrown(given, { name: source.name, input: source.input, payload, tool }))
      if (concerns(rule, tool)) this.#bindings?.bind(rule, [now]);
  }

  /** Resolves when what rules are bound to is kept. @throws HitlError SAVE_FAILED */
  async kept(): Promise<void> {
    await this.#bindings?.kept();
  }

  #bindTo(rule: ToolRule, tools: readonly ToolDescriptor[]): readonly string[] {
    const { effect, tool: name, problem } = rule;
    if (effect !== 'allow' || name === '*' || problem !== undefined || this.#bindings === undefined)
      return [];
    const served = tools.flatMap((tool): ServedTool[] => {
      const found = concerns(rule, tool) ? servedTool(tool) : undefined;
      return found === undefined ? [] : [found];
    });
    if (served.length === 0) return [];
    this.#bindings.bind(rule, served);
    const places = [...new Set(served.map(({ reached }) => reached))].join(', ');
    return [`\`${rule.text}\` is bound to ${count(served.length, 'tool')} of ${places}, as they are now`];
  }

  /** From now on the rules of another mode count. */
  change(mode: SessionMode): void {
    this.#mode = mode;
    this.#ofMode = modeRules(mode, this.#place, this.#from);
  }
}

/** The rules that a session would have here: a new one, or one that is there. */
export async function rulesHere(
  io: Io,
  { flags, config, layers }: Pick<Effective, 'flags' | 'config' | 'layers'>,
  saved?: { readonly mode?: SessionMode },
): Promise<RulesInForce> {
  const bindings = await RuleBindings.read(io, { saves: flags.save });
  const mode = modeFor(flags, config, saved);
  if (flags.mode !== undefined)
    return new RulesInForce(io, flags, { mode, from: 'the command line', bindings });
  const layer = layers.find((one) => one.config.mode === mode);
  if (saved !== undefined && mode === (saved.mode ?? 'ask'))
    return new RulesInForce(io, flags, { mode, bindings });
  return new RulesInForce(io, flags, { mode, bindings, ...present({ from: layer?.from('mode') }) });
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
