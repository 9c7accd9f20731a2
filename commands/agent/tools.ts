import { resolve } from 'node:path';
import type {
  Facts,
  JsonValue,
  Tool,
  ToolContext,
  ToolRule,
  ToolSet,
  ToolDescriptor,
} from '../../src/core/index.js';
import { fromHome, HitlError, isReadOnlyByRule, judgeCall, describeTool } from '../../src/core/index.js';
import type { GuardOptions, SandboxOptions } from '../../src/tools/index.js';
import type { McpServers } from '../../src/tools/mcp/index.js';
import {
  askHuman,
  builtinTools,
  guardOutput,
  loadTools,
  requestApproval,
  requestGrant,
  toolSet,
  underRules,
} from '../../src/tools/index.js';
import type { Io } from '../host/index.js';
import type { RunFlags } from '../flags/options.js';
import { ownFolders, secretValues } from '../host/index.js';
import type { Started } from '../../src/programs/index.js';
import type { FileContent } from '../../src/files/index.js';
import { marking } from '../trust/unseen.js';
import type { RulesInForce } from './rules-in-force.js';
import { startedIn } from './started.js';
import { agentPermission } from '../asking/agent-permission.js';
import { agentTools } from '../asking/agent-call.js';
import { demoTools } from '../demo-agent/demo-tools.js';

export interface ToolsPlace {
  /** Whether the model is the demo model, which is the only one that receives the demo tools. */
  readonly demo: boolean;
  /**
   * Whether the session is for questions from another program. The only built-in tools are then those that
   * ask these questions.
   */
  readonly asked?: boolean;
  /** Whether the model is an agent that asks for permission. Default: false. */
  readonly permissions?: boolean;
  /** Whether the session runs a workflow, in which grants are not available. Default: false. */
  readonly flow?: boolean;
  /** Rules that apply to each tool. */
  readonly rules: RulesInForce;
  /** Absolute paths of the tool modules. */
  readonly modules: readonly string[];
  /** Trusted files, with their content. No others are loaded. */
  readonly agreed: readonly FileContent[];
  /**
   * Returns the paths that this session starts or loads. Commands cannot change them, and any change is
   * reported.
   */
  readonly starts: () => readonly Started[];
  /** The file in which the bank example stores its transfers. */
  readonly ledgerFile?: string;
  /** Servers whose current tools are offered as well. */
  readonly servers?: Pick<McpServers, 'tools' | 'connections'>;
  /** Called with notices about rules that were bound to tools, one line each. */
  readonly told?: (line: string) => void;
  /** Stores an output that is too large for the journal. Default: such outputs are not stored. */
  readonly keep?: GuardOptions['keep'];
}

/**
 * Adds the tools of servers to a tool set. They may change or become available later, so each access returns
 * the current ones. If names collide, the tools already in the set take precedence. `guarded` wraps each
 * server tool once.
 */
function withServerTools(
  own: ToolSet,
  served: () => readonly Tool[],
  guarded: (tool: Tool) => Tool,
): ToolSet {
  const known = new WeakMap<Tool, Tool>();
  const described = new WeakMap<Tool, ToolDescriptor>();
  const guardedOnce = (tool: Tool): Tool => kept(known, tool, guarded);
  const theirs = (): readonly Tool[] =>
    served().flatMap((tool) => (own.get(tool.name) === undefined ? [guardedOnce(tool)] : []));
  return {
    get: (name) => own.get(name) ?? theirs().find((tool) => tool.name === name),
    get descriptors() {
      return [...own.descriptors, ...theirs().map((tool) => kept(described, tool, describeTool))];
    },
    *[Symbol.iterator]() {
      yield* own;
      yield* theirs();
    },
  };
}

function kept<Made extends object>(known: WeakMap<Tool, Made>, tool: Tool, make: (tool: Tool) => Made): Made {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const made = make(tool);
  known.set(tool, made);
  return made;
}

/**
 * Returns the tools that the flags select: built-in tools, demo tools, and tools from the user's modules.
 * @throws HitlError BAD_TOOL_MODULE, DUPLICATE_TOOL, USAGE for an unknown tool name.
 */
export async function composeTools(io: Io, flags: RunFlags, place: ToolsPlace): Promise<ToolSet> {
  const { clock, cwd, env, home } = io;
  const { rules, servers } = place;
  const all: Tool[] = [...(await moduleTools(io, place))];
  let offered: Pick<ToolSet, 'get'> = { get: () => undefined };
  const named = new Set(all.map(({ name }) => name));
  if (place.asked === true)
    all.push(askHuman(), requestApproval(), ...Object.values(agentTools(io, startedIn)));
  else if (flags.builtinTools === true)
    all.push(
      ...builtinTools({
        ...{ cwd, env, home, clock },
        ownFolders: ownFolders(io, flags.sessions),
        starts: place.starts,
        sandbox: sandboxOf(io, flags),
        copies: { isOn: () => rules.mode === 'auto', whyNot: (change) => whyNotChanged(change, rules.all) },
      }),
      ...(place.flow === true ? [] : [requestGrant({ tools: () => offered, rules: () => rules.all, clock })]),
    );
  if (place.permissions === true)
    all.push(agentPermission(io, { rules: () => rules.all, starts: startedIn }));
  if (place.demo) {
    const { ledgerFile } = place;
    const demo = demoTools({ clock, ...(ledgerFile !== undefined && { ledgerFile }) });
    // The user's own bank takes the place of the example.
    all.push(...demo.filter(({ name }) => !named.has(name)));
  }
  const guard = guardOf(io, place);
  const guarded = (tool: Tool): Tool =>
    underRules(guardOutput(leavesMarks(io, tool, place), guard), () => rules.all);
  checkSelected([...all, ...(servers?.tools ?? [])], flags);
  const own = toolSet(all.filter((tool) => isSelected(tool, flags)).map(guarded));
  offered = own;
  if (servers === undefined) return own;
  let met: readonly Tool[] = [];
  const theirs = (): readonly Tool[] => {
    const { tools } = servers;
    if (tools !== met) for (const line of rules.meet(servers)) place.told?.(line);
    met = tools;
    return tools;
  };
  const set = withServerTools(
    own,
    () => theirs().filter((tool) => isSelected(tool, flags)),
    (tool) => guarded(isReadOnlyByRule(tool, rules.all) ? { ...tool, effect: 'none' } : tool),
  );
  offered = set;
  return set;
}

/**
 * Loads the tools from modules. Loading runs the modules, so ask the user for trust first (G34). @throws
 * HitlError BAD_TOOL_MODULE
 */
export async function moduleTools(
  { cwd }: Pick<Io, 'cwd'>,
  { modules, agreed }: Pick<ToolsPlace, 'modules' | 'agreed'>,
): Promise<readonly Tool[]> {
  const all: Tool[] = [];
  for (const module of modules)
    all.push(...(await loadTools(module, { cwd, library: () => import('../../src/index.js'), agreed })));
  return all;
}

/** Wraps a tool so that it reports, before and after it runs, that the working folder may have changed. */
export function leavesMarks<Marked extends Tool>(
  io: Pick<Io, 'cwd' | 'env' | 'home'>,
  tool: Marked,
  { servers }: Pick<ToolsPlace, 'servers'>,
): Marked {
  if (tool.effect === 'none') return tool;
  const isUnseen = (): boolean =>
    servers?.connections.some(({ server }) => server.type === 'stdio' && server.unseen !== undefined) ===
    true;
  return {
    ...tool,
    execute: (input: JsonValue, context: ToolContext) =>
      marking(io, isUnseen(), () => tool.execute(input, context)),
  };
}

/**
 * Returns the reason that a file must not change without asking, according to the rules for `write_file` and
 * `edit_file`.
 */
function whyNotChanged(
  { path, facts }: { readonly path: string; readonly facts: Facts },
  rules: readonly ToolRule[],
): string | undefined {
  for (const [name, input] of [
    ['write_file', { path, content: '' }],
    ['edit_file', { path, oldText: '', newText: '' }],
  ] as const) {
    const verdict = judgeCall(rules, { name, input, payload: { facts } });
    if (verdict === undefined) return 'no rule allows it';
    if (verdict.effect !== 'allow')
      return `the rule \`${verdict.rule.text}\` (${verdict.rule.from}) ${verdict.says}`;
  }
  return undefined;
}

/** Returns the sandbox options for commands. */
function sandboxOf(io: Io, flags: RunFlags): SandboxOptions {
  return {
    ...(flags.sandbox !== undefined && { mode: flags.sandbox }),
    reads: (flags.sandboxReads ?? []).map((place) => resolve(io.home, fromHome(place, io.home))),
  };
}

/** Returns the options for guarding the bodies of tools. */
export function guardOf(
  { env }: Io,
  { keep = () => Promise.resolve(undefined) }: Pick<ToolsPlace, 'keep'>,
): GuardOptions {
  return { secrets: secretValues(env), keep };
}

/** @throws HitlError USAGE for an unknown tool name. */
function checkSelected(tools: readonly Tool[], { allowTool, denyTool }: RunFlags): void {
  const names = new Set(tools.map(({ name }) => name));
  for (const name of [...(allowTool ?? []), ...(denyTool ?? [])]) {
    if (names.has(name)) continue;
    throw new HitlError('USAGE', `unknown tool \`${name}\``, {
      hint: `valid tools: ${[...names].join(', ')}`,
    });
  }
}

function isSelected({ name }: Tool, { allowTool, denyTool }: RunFlags): boolean {
  return (allowTool?.includes(name) ?? true) && denyTool?.includes(name) !== true;
}
