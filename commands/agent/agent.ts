import { basename, dirname, resolve } from 'node:path';
import type {
  AgentFingerprint,
  SessionId,
  SessionStore,
  Tool,
  ToolDescriptor,
  ToolSet,
} from '../../src/core/index.js';
import { describeTool, HitlError, misnamedTools, present } from '../../src/core/index.js';
import type { Graph, GraphSteering } from '../../src/graph/index.js';
import { mapTools, toolsOfGraph } from '../../src/graph/index.js';
import type { CreatedModel } from '../../src/models/index.js';
import { guardOutput, LIBRARY_ORIGIN, underRules } from '../../src/tools/index.js';
import type { Config } from '../config/index.js';
import { CLIENT_MODEL } from '../asking/index.js';
import { ChangingModel } from './changing-model.js';
import type { ChosenModel } from './choose-model.js';
import { accessTo, checkServerFlag, chosenModel, isDemo } from './choose-model.js';
import { withKey } from './key-command.js';
import { composeModel } from './model.js';
import { checkProviderTools, providerToolLines, settingsFor } from './replies/index.js';
import { composeReasoner } from './reasoner.js';
import type { ToolsPlace } from './tools.js';
import { composeTools, guardOf, moduleTools } from './tools.js';
import type { Io } from '../host/index.js';
import { pathHere } from '../host/index.js';
import { namedText } from '../input/index.js';
import type { Mode, RunFlags } from '../flags/index.js';
import type { FileContent } from '../trust/index.js';
import type { RunServers } from '../mcp/index.js';
import { startServers, trustedServers } from '../mcp/index.js';
import type { FlowFile } from './load-flow.js';
import { isTrusted, keepTrust, moduleClosure } from '../trust/index.js';
import { modeFor } from './mode-for.js';
import { modeLines, RulesInForce } from './rules-in-force.js';

/** The name that stands for the model of an imported session: the model is chosen when the session is resumed. */
export const UNCHOSEN_MODEL = '';

/** A model and its tools, ready to run. */
export interface Agent extends AsyncDisposable {
  readonly fingerprint: AgentFingerprint;
  readonly model: ChangingModel;
  readonly tools: ToolSet;
  /** The rules that decide in advance about calls of these tools; the mode of the session is among them. */
  readonly rules: RulesInForce;
  /** The workflow that the session runs; absent in a chat. */
  readonly graph?: Graph;
  /** Reads messages for the workflow; absent where nobody does. */
  readonly reason?: NonNullable<GraphSteering['reason']>;
  /** The servers whose tools are among them; the agent ends them when it is disposed of. */
  readonly servers: RunServers;
  /** Says which model it is and why, where no flag named it. */
  readonly notices: readonly string[];
  /** The part of them that is told in a new chat too, which says the rest by itself: rules that can match nothing. */
  readonly warnings: readonly string[];
}

export interface AgentPlace {
  readonly id: SessionId;
  readonly store: SessionStore;
  readonly config: Config;
  /** The model, where it has been chosen already. */
  readonly chosen?: ChosenModel;
  /** The agent that the session had before. */
  readonly saved?: AgentFingerprint;
  /** The folder in which the session began. */
  readonly began?: string;
  /** The workflow that was named. Default: what the session had before. */
  readonly flow?: FlowFile;
}

/**
 * Puts the agent of a session together: what a flag does not say is as the session had it. Servers start first, and
 * come up while the rest is loaded.
 */
export async function composeAgent(io: Io, flags: RunFlags, mode: Mode, place: AgentPlace): Promise<Agent> {
  const named = await trustedServers(io, flags, mode, place.saved);
  const servers = startServers(io, mode, {
    allowHttp: flags.allowHttp,
    named,
    config: place.config,
    goesOn: place.saved !== undefined,
  });
  try {
    return await composeWith(io, flags, mode, { ...place, servers });
  } catch (thrown) {
    await servers[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function composeWith(
  here: Io,
  flags: RunFlags,
  mode: Mode,
  { id, saved, began, config, store, servers, ...place }: AgentPlace & { readonly servers: RunServers },
): Promise<Agent> {
  const known = saved?.model === UNCHOSEN_MODEL ? undefined : saved;
  const chosen =
    place.chosen ??
    (await chosenModel(here, flags, { config, ...(known !== undefined && { saved: known }) }));
  const { spec, notice } = chosen;
  checkServerFlag(flags, chosen, config);
  const io = await withKey(here, config, chosen);
  const model = await composeModel(io, mode, config, chosen);
  checkCostLimit(model, flags);
  checkEffort(model, flags);
  const settings = settingsFor(flags, config, saved);
  const { providerTools: atProvider = [] } = settings;
  checkProviderTools(model, atProvider, flags.maxCost);
  // A session keeps the paths that it began with; in another checkout they stand for what lies there.
  const kept = flags.tools?.map((module) => resolve(io.cwd, module)) ?? saved?.modules ?? [];
  const placed = (file: string): string => pathHere(file, { cwd: io.cwd, ...present({ began }) });
  const modules = kept.map(placed);
  if (flags.tools === undefined) await askTrust(io, flags, mode, { modules, ...TOOL_MODULES });
  else await trustNamed(io, flags, modules);
  const keptFlow = place.flow?.file ?? saved?.flow;
  const flow = keptFlow === undefined ? undefined : placed(keptFlow);
  if (flow !== undefined) await trustFlow(io, flags, mode, place.flow ?? { file: flow, isNamed: false });
  const { outputs } = store.capabilities;
  const rules = new RulesInForce(io, flags, { mode: modeFor(flags, config, known) });
  const toolsPlace: ToolsPlace = {
    rules,
    asked: spec === CLIENT_MODEL,
    demo: isDemo(chosen, config) || model.recordedFrom === 'demo',
    modules,
    servers: servers.servers,
    ...(flow !== undefined && { flow }),
    ...(outputs !== undefined && {
      ledgerFile: outputs.fileBeside(id, 'demo-bank.jsonl'),
      keep: (text: string, sha256: string) => outputs.keep(id, text, sha256),
    }),
  };
  await servers.settled();
  const tools = await composeTools(io, flags, toolsPlace);
  const graph =
    flow === undefined ? undefined : await composeFlow(io, flow, toolsPlace, accessTo(chosen, io, config));
  // A session keeps its server, for whoever reads messages too.
  const server = { ...flags, ...present({ baseUrl: flags.baseUrl ?? known?.server }) };
  const reason = graph === undefined ? undefined : await composeReasoner(io, server, mode, { model, config });
  const { named } = servers;
  const system = await systemPrompt(io, flags.system, saved?.system);
  const fingerprint: AgentFingerprint = {
    model: spec,
    ...present({ server: serverName(chosen.baseUrl) }),
    ...(system !== undefined && { system }),
    tools: allDescriptors(tools, graph),
    ...(kept.length > 0 && { modules: kept }),
    ...(named.length > 0 && { mcp: named }),
    ...present({ flow: keptFlow }),
    ...(rules.mode !== 'ask' && { mode: rules.mode }),
    ...settings,
  };
  const names = fingerprint.tools.map(({ name }) => name);
  const warnings = misnamedTools(rules.all, names).map(
    ({ rule: { text, from }, meant }) =>
      `the rule \`${text}\` (${from}) matches no tool here; did you mean \`${meant}\`?`,
  );
  return {
    fingerprint,
    warnings,
    model: new ChangingModel(model),
    tools,
    rules,
    servers,
    [Symbol.asyncDispose]: () => servers[Symbol.asyncDispose](),
    notices: [
      ...(notice === undefined ? [] : [notice]),
      ...modeLines(rules, known),
      ...warnings,
      ...providerToolLines(atProvider),
    ],
    ...present({ graph, reason }),
  };
}

/** The server as a session keeps it; a password in it is not kept. */
export function serverName(baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return undefined;
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  return url.href;
}

/** A limit that cannot hold is refused, and not passed over in silence. */
export function checkCostLimit({ id, isPriced }: CreatedModel, { maxCost }: RunFlags): void {
  if (maxCost === undefined || isPriced !== false) return;
  throw new HitlError(
    'USAGE',
    `cost unknown: the price of \`${id}\` is not known, so no limit of cost can hold`,
    {
      hint: 'leave out --max-cost (`maxCost` of the configuration), and limit --max-tokens, --max-turns or --max-time',
    },
  );
}

/** Settings that a model has no words for are refused where a flag asks for them. @throws HitlError USAGE */
export function checkEffort({ id, takesEffort }: CreatedModel, { effort, thinking }: RunFlags): void {
  if (takesEffort !== false || (effort === undefined && thinking === undefined)) return;
  const flag = effort === undefined ? '--thinking' : '--effort';
  throw new HitlError('USAGE', `\`${flag}\` and \`--model ${id}\` cannot be used together`, {
    hint: 'this version of its package has no words for it: install a newer one, or leave the flag out',
  });
}

/** The workflow, with a guard behind each tool that its nodes bring, and rules in front. */
async function composeFlow(
  io: Io,
  file: string,
  place: ToolsPlace,
  access: ReturnType<typeof accessTo>,
): Promise<Graph> {
  const { loadFlow } = await import('./load-flow.js');
  const guard = guardOf(io, place);
  const origin = `workflow ${basename(dirname(file))}/${basename(file)}`;
  const named = (tool: Tool): Tool => (tool.origin === LIBRARY_ORIGIN ? { ...tool, origin } : tool);
  return mapTools(await loadFlow(io, file, access), (tool) =>
    underRules(guardOutput(named(tool), guard), () => place.rules.all),
  );
}

/** Describes every tool of a session; where two share a name, the one that chats are offered. */
function allDescriptors(tools: ToolSet, graph: Graph | undefined): readonly ToolDescriptor[] {
  const own = graph === undefined ? [] : toolsOfGraph(graph);
  return [
    ...tools.descriptors,
    ...own.filter(({ name }) => tools.get(name) === undefined).map((tool) => describeTool(tool)),
  ];
}

/**
 * A workflow that a person named is trusted as it is. What was only found, as `flow.ts` of a folder and the module of
 * parts beside a file are, and what a session names are trusted by a person first (G34).
 * @throws HitlError USAGE where nobody can be asked, or nobody agrees.
 */
export async function trustFlow(
  io: Io,
  flags: TrustFlags,
  mode: Mode,
  { file, isNamed }: FlowFile,
): Promise<void> {
  const { partsBeside } = await import('./load-flow.js');
  const parts = await partsBeside(file);
  if (isNamed) await trustNamed(io, flags, [file]);
  const found = isNamed ? parts : [file, ...parts];
  await askTrust(io, flags, mode, { modules: found, ...FLOW_MODULES });
}

/**
 * Loads the tools of the modules that a session names, once a person trusts them.
 * @throws HitlError USAGE where nobody can be asked, or nobody agrees.
 */
export async function toolsOfSession(
  io: Io,
  flags: TrustFlags,
  mode: Mode,
  { agent, cwd: began }: { readonly agent?: AgentFingerprint; readonly cwd?: string },
): Promise<readonly Tool[]> {
  const modules = (agent?.modules ?? []).map((file) =>
    pathHere(file, { cwd: io.cwd, ...present({ began }) }),
  );
  await askTrust(io, flags, mode, { modules, ...TOOL_MODULES });
  return await moduleTools(io, modules);
}

/** The flags that decide about trust. */
type TrustFlags = Pick<RunFlags, 'trust' | 'save' | 'color'>;

/** The modules of one origin, in the words of a question about them. */
interface ModuleWords {
  readonly one: string;
  readonly several: string;
  /** Says what to do in place of trusting them. */
  readonly otherwise: string;
}

const TOOL_MODULES: ModuleWords = {
  one: 'a tool module of this session',
  several: 'one of the tool modules of this session',
  otherwise: 'or name the modules to load: --tools <module>',
};

const FLOW_MODULES: ModuleWords = {
  one: 'a module of this workflow',
  several: 'one of the modules of this workflow',
  otherwise: 'what you name yourself needs no trust, what lies beside it does',
};

/** Keeps trust in modules that a flag or a configuration names, which is consent: a resume then finds them so (G34). */
async function trustNamed(io: Io, flags: TrustFlags, modules: readonly string[]): Promise<void> {
  const files = modules.flatMap(readable);
  if (flags.save && files.length > 0) await keepTrust(io, files);
}

/** Asks a person to trust modules that a session names, or that were found. @throws HitlError USAGE where nobody does. */
async function askTrust(
  io: Io,
  flags: TrustFlags,
  mode: Mode,
  { modules, one, several, otherwise }: ModuleWords & { readonly modules: readonly string[] },
): Promise<void> {
  const files = modules.flatMap(moduleClosure);
  if (files.length === 0) return;
  const what = files.length === 1 ? one : several;
  const agreed = await isTrusted(io, flags, mode, {
    what,
    files,
    lines: ['code that runs with your rights as soon as it is loaded'],
    otherwise,
  });
  if (agreed) return;
  throw new HitlError('USAGE', `${what} is not trusted; nothing was loaded`, {
    hint: 'hitl answer <id> answers an open question without loading anything',
  });
}

/** Reads a module that was named. Where it cannot be read there is none: whoever loads it tells that. */
function readable(module: string): readonly FileContent[] {
  try {
    return moduleClosure(module);
  } catch {
    return [];
  }
}

/** `@file` is read; any other text is the prompt itself. */
async function systemPrompt(
  io: Io,
  flag: string | undefined,
  saved: string | undefined,
): Promise<string | undefined> {
  if (flag?.startsWith('@') !== true) return flag ?? saved;
  const file = resolve(io.cwd, flag.slice(1));
  return namedText(
    file,
    `the system prompt \`${file}\``,
    'check the path behind `@`; without `@` the flag is the prompt itself',
  );
}
