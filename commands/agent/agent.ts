import { basename, dirname, resolve } from 'node:path';
import type {
  AgentFingerprint,
  SessionId,
  SessionStore,
  Tool,
  ToolDescriptor,
  ToolSet,
  Model,
} from '../../src/core/index.js';
import {
  describeTool,
  HitlError,
  membersOf,
  misnamedTools,
  present,
  rulesOfNoServer,
} from '../../src/core/index.js';
import type { Graph, GraphSteering } from '../../src/graph/index.js';
import { mapTools, toolsOfGraph } from '../../src/graph/index.js';
import type { CreatedModel } from '../../src/models/index.js';
import { guardOutput, LIBRARY_ORIGIN, underRules } from '../../src/tools/index.js';
import type { Config } from '../settings/settings.js';
import { RuleBindings } from '../config/rule-bindings.js';
import { CLIENT_MODEL } from '../asking/standing.js';
import { ChangingModel } from './changing-model.js';
import type { ChosenModel } from './choose-model.js';
import { accessTo, checkServerFlag, chosenModel, isDemo } from './choose-model.js';
import { withKey } from './key-command.js';
import { composeModel } from './model.js';
import { checkProviderTools, providerToolLines } from './replies/provider-tools.js';
import { settingsFor } from './replies/settings.js';
import type { ToolsPlace } from './tools.js';
import { composeTools, guardOf, leavesMarks } from './tools.js';
import type { Io } from '../host/index.js';
import { pathHere, secretValues } from '../host/index.js';
import { namedText } from '../input/named-text.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { RunServers } from '../mcp/start-servers.js';
import { startServers } from '../mcp/start-servers.js';
import { startedHere } from './started.js';
import type { AgreedFlow, FlowFile } from './load-flow.js';
import { agreedTools, trustFlow } from './agreed-modules.js';
import { modeFor } from './mode-for.js';
import { modeLines, RulesInForce } from './rules-in-force.js';
import { trustedPaths } from '../trust/trust.js';
import { chooseAction } from '../../src/reasoner/index.js';
import { loadFlow } from './load-flow.js';

/** Model name of an imported session; the real model is chosen on resume. */
export const UNCHOSEN_MODEL = '';

/** A model and its tools, ready to run. */
export interface Agent extends AsyncDisposable {
  readonly fingerprint: AgentFingerprint;
  readonly model: ChangingModel;
  readonly tools: ToolSet;
  /** Rules for calls of these tools, including those of the session's mode. */
  readonly rules: RulesInForce;
  /** The workflow that the session runs; absent in a chat. */
  readonly graph?: Graph;
  /** Reads messages for the workflow, if there is such a reader. */
  readonly reason?: NonNullable<GraphSteering['reason']>;
  /** Servers of these tools; disposing of the agent ends them. */
  readonly servers: RunServers;
  /** Names the model and why, unless a flag chose it. */
  readonly notices: readonly string[];
  /** Those also shown in a new chat: rules that match nothing. */
  readonly warnings: readonly string[];
}

export interface AgentPlace {
  readonly id: SessionId;
  readonly store: SessionStore;
  readonly config: Config;
  /** The model, if already chosen. */
  readonly chosen?: ChosenModel;
  /** The agent that the session had before. */
  readonly saved?: AgentFingerprint;
  /** Folder in which the session started. */
  readonly began?: string;
  /** The requested workflow. Default: the session's. */
  readonly flow?: FlowFile;
}

/**
 * Composes the agent of a session: flags first, then the session's settings. Servers start first, while the
 * rest is loading.
 */
export async function composeAgent(io: Io, flags: RunFlags, mode: Mode, place: AgentPlace): Promise<Agent> {
  const servers = await startServers(io, flags, mode, {
    ...{ flag: flags.mcp, session: place.saved?.mcp, began: place.began, allowHttp: flags.allowHttp },
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

/** Scripted models cannot interpret messages. */
const READER = 'anthropic:';

/** Returns the interpreter of messages that name no action; without one, text is guidance. */
async function composeReasoner(
  io: Io,
  flags: RunFlags,
  mode: Mode,
  { model, config }: { readonly model: Model; readonly config: Config },
): Promise<GraphSteering['reason']> {
  const { reasoner } = flags;
  if (reasoner === false || (typeof reasoner !== 'string' && !model.id.startsWith(READER))) return undefined;
  const reader =
    typeof reasoner === 'string' ? await readerNamed(io, { ...flags, model: reasoner }, mode, config) : model;
  const secrets = secretValues(io.env);
  return (situation, signal) => chooseAction(situation, { model: reader, secrets }, signal);
}

async function readerNamed(io: Io, flags: RunFlags, mode: Mode, config: Config): Promise<Model> {
  return composeModel(io, mode, config, await chosenModel(io, flags, { config }));
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
  const agreed = await agreedTools(io, flags, mode, modules);
  const keptFlow = place.flow?.file ?? saved?.flow;
  const flow = keptFlow === undefined ? undefined : placed(keptFlow);
  const agreedFlow =
    flow === undefined ? [] : await trustFlow(io, flags, mode, place.flow ?? { file: flow, isNamed: false });
  const { outputs } = store.capabilities;
  const rules = new RulesInForce(io, flags, {
    mode: modeFor(flags, config, known),
    bindings: await RuleBindings.read(io, { saves: flags.save }),
  });
  const toolsPlace: ToolsPlace = {
    rules,
    asked: spec === CLIENT_MODEL,
    demo: isDemo(chosen, config) || model.recordedFrom === 'demo',
    modules,
    agreed,
    servers: servers.servers,
    starts: startedHere(io, {
      ...{ modules, flow, agreed: [...agreed, ...agreedFlow], notify: flags.notify },
      ...{
        apiKeyCommand: config.apiKeyCommand,
        servers: servers.servers.connections.map(({ server }) => server),
        trusted: await trustedPaths(io),
      },
    }),
    told: (line) => {
      servers.notices.say(line);
    },
    ...(outputs !== undefined && {
      ledgerFile: outputs.fileBeside(id, 'demo-bank.jsonl'),
      keep: (text: string, sha256: string) => outputs.keep(id, text, sha256),
    }),
  };
  await servers.settled();
  const tools = await composeTools(io, flags, toolsPlace);
  const graph =
    flow === undefined
      ? undefined
      : await composeFlow(io, { file: flow, agreed: agreedFlow }, toolsPlace, accessTo(chosen, io, config));
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
  const configured = [
    ...Object.keys(membersOf(config.mcpServers)),
    ...servers.servers.connections.map(({ server }) => server.name),
  ];
  const strays = rulesOfNoServer(rules.all, configured, names);
  checkDenied(strays);
  const warnings = [
    ...strays.map(({ rule: { text, from }, why }) => `rule \`${text}\` (${from}) matches no tool: ${why}`),
    ...misnamedTools(rules.all, names).map(
      ({ rule: { text, from }, meant }) =>
        `rule \`${text}\` (${from}) matches no tool here; did you mean \`${meant}\`?`,
    ),
  ];
  return {
    fingerprint,
    warnings,
    model: new ChangingModel(model),
    tools,
    rules,
    servers,
    async [Symbol.asyncDispose]() {
      await servers[Symbol.asyncDispose]();
      await rules.kept();
    },
    notices: [
      ...(notice === undefined ? [] : [notice]),
      ...modeLines(rules, known),
      ...warnings,
      ...providerToolLines(atProvider),
    ],
    ...present({ graph, reason }),
  };
}

/**
 * @throws HitlError USAGE for a rule that denies tools of a server that is not configured: it would deny
 * nothing.
 */
function checkDenied(strays: ReturnType<typeof rulesOfNoServer>): void {
  const denied = strays.find(({ rule }) => rule.effect === 'deny');
  if (denied === undefined) return;
  const { rule, why } = denied;
  throw new HitlError('USAGE', `rule \`${rule.text}\` (${rule.from}) denies no call: ${why}`, {
    hint: `correct it, configure the server, or: hitl rules remove ${rule.text}`,
  });
}

/** The server as a session keeps it; a password in it is not kept. */
export function serverName(baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return undefined;
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  return url.href;
}

/** Refuses a limit that cannot be enforced. */
export function checkCostLimit({ id, isPriced }: CreatedModel, { maxCost }: RunFlags): void {
  if (maxCost === undefined || isPriced !== false) return;
  throw new HitlError('USAGE', `\`${id}\` has no known price, so --max-cost cannot be enforced`, {
    hint: 'leave out --max-cost (`maxCost` in the configuration); use --max-tokens, --max-turns or --max-time',
  });
}

/** Refuses flags that the model does not support. @throws HitlError USAGE */
export function checkEffort({ id, takesEffort }: CreatedModel, { effort, thinking }: RunFlags): void {
  if (takesEffort !== false || (effort === undefined && thinking === undefined)) return;
  const flag = effort === undefined ? '--thinking' : '--effort';
  throw new HitlError('USAGE', `\`${flag}\` and \`--model ${id}\` cannot be used together`, {
    hint: 'this version of its package does not support it; install a newer one, or leave the flag out',
  });
}

/** Loads the workflow, with a guard around each tool of its nodes, and rules in front. */
async function composeFlow(
  io: Io,
  { file, agreed }: AgreedFlow,
  place: ToolsPlace,
  access: ReturnType<typeof accessTo>,
): Promise<Graph> {
  const guard = guardOf(io, place);
  const origin = `workflow ${basename(dirname(file))}/${basename(file)}`;
  const named = (tool: Tool): Tool => (tool.origin === LIBRARY_ORIGIN ? { ...tool, origin } : tool);
  return mapTools(await loadFlow(io, { file, agreed }, access), (tool) =>
    underRules(guardOutput(leavesMarks(io, named(tool), place), guard), () => place.rules.all),
  );
}

/** Describes every tool of a session; of two with the same name, the one offered in chats. */
function allDescriptors(tools: ToolSet, graph: Graph | undefined): readonly ToolDescriptor[] {
  const own = graph === undefined ? [] : toolsOfGraph(graph);
  return [
    ...tools.descriptors,
    ...own.filter(({ name }) => tools.get(name) === undefined).map((tool) => describeTool(tool)),
  ];
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
    'check the path after `@`; without `@` the flag is the prompt itself',
  );
}
