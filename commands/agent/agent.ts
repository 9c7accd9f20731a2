import { basename, dirname, resolve } from 'node:path';
import type {
  AgentFingerprint,
  ReplySettings,
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
import type { FileContent } from '../../src/files/index.js';
import type { CreatedModel } from '../../src/models/index.js';
import { guardOutput, LIBRARY_ORIGIN, underRules } from '../../src/tools/index.js';
import type { Config } from '../settings/settings.js';
import { RuleBindings } from '../config/rule-bindings.js';
import { CLIENT_MODEL } from '../asking/standing.js';
import { ChangingModel } from './changing-model.js';
import type { ChosenModel } from './choose-model.js';
import { accessTo, agentOf, checkServerFlag, chosenModel, isDemo } from './choose-model.js';
import { agentsHere, agreedAgent } from './agent-program.js';
import { withKey } from './key-command.js';
import { composeModel } from './model.js';
import type { FoundMemory, ProjectMemory } from './project-memory.js';
import { memoryMark, memoryNews, projectMemory } from './project-memory.js';
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
import { reviewerWords } from './reviewer.js';
import { startedHere } from './started.js';
import type { AgreedFlow, FlowFile } from './load-flow.js';
import { agreedTools, trustFlow } from './agreed-modules.js';
import { modeFor, unaskedReviewer, whyNotAuto } from './mode-for.js';
import { modeLines, RulesInForce } from './rules-in-force.js';
import { trustedPaths } from '../trust/trust.js';
import { chooseAction } from '../../src/reasoner/index.js';
import { loadFlow } from './load-flow.js';

/** Model name in an imported session. The actual model is chosen when the session is resumed. */
export const UNCHOSEN_MODEL = '';

/** A model and its tools, ready to run. */
export interface Agent extends AsyncDisposable {
  readonly fingerprint: AgentFingerprint;
  readonly model: ChangingModel;
  readonly tools: ToolSet;
  /** The rules for calls of these tools, including those of the session's mode. */
  readonly rules: RulesInForce;
  /** The workflow of the session. Absent in a chat. */
  readonly graph?: Graph;
  /** Interprets the user's messages for the workflow. Absent if no model is available for this. */
  readonly reason?: NonNullable<GraphSteering['reason']>;
  /** The project's instructions for agents. Absent if there are none or they are not used. */
  readonly memory?: ProjectMemory;
  /** The servers that provide the tools. They are stopped when the agent is disposed of. */
  readonly servers: RunServers;
  /** Notices for the user. They include which model is used and why, unless a flag chose it. */
  readonly notices: readonly string[];
  /**
   * Notices that are also shown in a new chat: about rules that match nothing, and about a reviewer that is
   * not used.
   */
  readonly warnings: readonly string[];
}

export interface AgentPlace {
  readonly id: SessionId;
  readonly store: SessionStore;
  readonly config: Config;
  /** The model, if it has already been chosen. */
  readonly chosen?: ChosenModel;
  /** The project's instructions, if they have already been read. */
  readonly found?: FoundMemory;
  /** Fingerprint of the agent that the session used before. */
  readonly saved?: AgentFingerprint;
  /** Folder that the session was started in. */
  readonly began?: string;
  /** The workflow that was requested. Default: the workflow of the session. */
  readonly flow?: FlowFile;
}

/**
 * Creates the agent for a session. Flags take precedence over the session's settings. The servers are started
 * first, so that they can connect while the rest is loading.
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

/**
 * Prefix of the models that interpret messages by default. Another model does so only if `reasoner` specifies
 * it.
 */
const READER = 'anthropic:';

/**
 * Returns the function that interprets messages that do not name an action. Without it, such messages are
 * used as guidance.
 */
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

/** The session that an agent is created for, and its servers, which may still be connecting. */
interface AgentParts extends AgentPlace {
  readonly servers: RunServers;
  /** Fingerprint of the agent that the session used before, if its model had been chosen. */
  readonly known: AgentFingerprint | undefined;
}

async function composeWith(
  here: Io,
  flags: RunFlags,
  mode: Mode,
  place: AgentPlace & { readonly servers: RunServers },
): Promise<Agent> {
  const { saved, config, servers } = place;
  const parts: AgentParts = {
    ...place,
    known: saved?.model === UNCHOSEN_MODEL ? undefined : saved,
  };

  // 1. The model with its key, and how it replies.
  const { chosen, io, model, replies } = await agentModel(here, flags, mode, parts);

  // 2. Modules and the workflow, as far as somebody trusts them.
  const code = await agreedCode(io, flags, mode, parts);

  // 3. The rules that decide about calls in advance.
  const rules = new RulesInForce(io, flags, {
    mode: modeFor(flags, config, parts.known),
    bindings: await RuleBindings.read(io, { saves: flags.save === true }),
    whyNotAuto: () => whyNotAuto(io, flags, parts.store.capabilities),
  });
  const why = await rules.whyNot(rules.mode);
  if (why !== undefined) throw new HitlError('USAGE', why, { hint: 'use another mode: --mode accept-edits' });

  // 4. The tools; by now the servers have come up, or are late.
  const toolsPlace = await placeOfTools(io, flags, parts, { chosen, model, code, rules });
  await servers.settled();
  const tools = await composeTools(io, flags, toolsPlace);
  const changing = new ChangingModel(model);

  // 5. The workflow, and the reader of its messages. A session keeps its server for that reader too.
  const graph = code.flow && (await composeFlow(io, code.flow, toolsPlace, accessTo(chosen, io, config)));
  const asBefore = { ...flags, ...present({ baseUrl: flags.baseUrl ?? parts.known?.server }) };
  const reason = graph && (await composeReasoner(io, asBefore, mode, { model, config }));

  // 6. What the session keeps of all this.
  const system = await systemPrompt(io, flags.system, saved?.system);
  const { memory, notices: ofMemory } = place.found ?? (await projectMemory(io, flags, mode));
  const fingerprint: AgentFingerprint = {
    model: chosen.spec,
    ...present({ server: serverName(chosen.baseUrl) }),
    ...(system !== undefined && { system }),
    tools: allDescriptors(tools, graph),
    ...(code.kept.length > 0 && { modules: code.kept }),
    ...(servers.named.length > 0 && { mcp: servers.named }),
    ...present({ flow: code.keptFlow }),
    ...(rules.mode !== 'ask' && { mode: rules.mode }),
    ...(memory !== undefined && { memory: memoryMark(memory) }),
    ...replies,
  };

  // 7. Rules that match nothing, and a reviewer that is not asked.
  const warnings = [
    ...strayRules(rules, fingerprint, parts),
    ...unaskedReviewer(flags, parts.store.capabilities),
  ];
  return {
    fingerprint,
    warnings,
    model: changing,
    tools,
    rules,
    servers,
    async [Symbol.asyncDispose]() {
      await changing[Symbol.asyncDispose]();
      await servers[Symbol.asyncDispose]();
      await rules.kept();
    },
    notices: [
      ...(chosen.notice === undefined ? [] : [chosen.notice]),
      ...modeLines(rules, parts.known),
      ...(place.found === undefined ? ofMemory : []),
      ...memoryNews(memory, parts.known),
      ...warnings,
      ...providerToolLines(replies.providerTools ?? []),
    ],
    ...present({ graph, reason, memory }),
  };
}

/** The model for a session, and the environment with the key for it. */
interface AgentModel {
  readonly chosen: ChosenModel;
  readonly io: Io;
  readonly model: CreatedModel;
  readonly replies: ReplySettings;
}

/**
 * Chooses and creates the model. @throws HitlError USAGE for a flag that the model does not support, or that
 * cannot be enforced for it
 */
async function agentModel(
  here: Io,
  flags: RunFlags,
  mode: Mode,
  { chosen: given, config, saved, known, servers }: AgentParts,
): Promise<AgentModel> {
  const chosen = given ?? (await chosenModel(here, flags, { config, ...present({ saved: known }) }));
  checkServerFlag(flags, chosen, config);
  const agent = agentOf(chosen, config);
  if (agent !== undefined) {
    const isOfSession = given === undefined && flags.model === undefined && known?.model === chosen.spec;
    await agreedAgent(here, flags, mode, { agent, isOfSession });
  }
  const io = await withKey(here, config, chosen);
  const agents = agentsHere(io, (line) => {
    servers.notices.say(line);
  });
  const model = await composeModel(io, mode, config, { ...chosen, agents });
  checkCostLimit(model, flags);
  checkEffort(model, flags);
  const replies = settingsFor(flags, config, saved);
  checkProviderTools(model, replies.providerTools ?? [], flags.maxCost);
  return { chosen, io, model, replies };
}

/** The code that a session loads and the user trusts. */
interface AgreedCode {
  /** Paths of the tool modules, as recorded in the session. */
  readonly kept: readonly string[];
  /** Paths of the same tool modules in this checkout. */
  readonly modules: readonly string[];
  readonly agreed: readonly FileContent[];
  /** Path of the workflow file, as recorded in the session. Absent in a chat. */
  readonly keptFlow?: string;
  readonly flow?: AgreedFlow;
}

/**
 * Asks the user to trust the tool modules and the workflow. The session keeps the paths that it recorded
 * first. In another checkout, the corresponding files are used.
 */
async function agreedCode(
  io: Io,
  flags: RunFlags,
  mode: Mode,
  { saved, began, flow }: AgentParts,
): Promise<AgreedCode> {
  const placed = (file: string): string => pathHere(file, { cwd: io.cwd, ...present({ began }) });
  const kept = flags.tools?.map((module) => resolve(io.cwd, module)) ?? saved?.modules ?? [];
  const modules = kept.map(placed);
  const agreed = await agreedTools(io, flags, mode, modules);
  const keptFlow = flow?.file ?? saved?.flow;
  if (keptFlow === undefined) return { kept, modules, agreed };
  const file = placed(keptFlow);
  const agreedFlow = await trustFlow(io, flags, mode, flow ?? { file, isNamed: false });
  return { kept, modules, agreed, keptFlow, flow: { file, agreed: agreedFlow } };
}

/** Returns everything needed to create a session's tools. */
async function placeOfTools(
  io: Io,
  flags: RunFlags,
  { id, config, store, servers }: AgentParts,
  {
    chosen,
    model,
    code: { modules, agreed, flow },
    rules,
  }: Pick<AgentModel, 'chosen' | 'model'> & { readonly code: AgreedCode; readonly rules: RulesInForce },
): Promise<ToolsPlace> {
  const { outputs } = store.capabilities;
  return {
    rules,
    asked: chosen.spec === CLIENT_MODEL,
    flow: flow !== undefined,
    permissions: agentOf(chosen, config) !== undefined,
    demo: isDemo(chosen, config) || model.recordedFrom === 'demo',
    modules,
    agreed,
    servers: servers.servers,
    starts: startedHere(io, {
      modules,
      flow: flow?.file,
      agreed: [...agreed, ...(flow?.agreed ?? [])],
      notify: flags.notify,
      apiKeyCommand: config.apiKeyCommand,
      reviewer: reviewerWords(flags),
      servers: servers.servers.connections.map(({ server }) => server),
      trusted: await trustedPaths(io),
    }),
    told: (line) => {
      servers.notices.say(line);
    },
    ...(outputs !== undefined && {
      ledgerFile: outputs.fileBeside(id, 'demo-bank.jsonl'),
      keep: (text: string, sha256: string) => outputs.keep(id, text, sha256),
    }),
  };
}

/**
 * Returns warnings about rules that do not match any tool. @throws HitlError USAGE for a deny rule that would
 * have no effect
 */
function strayRules(
  { all }: RulesInForce,
  { tools }: AgentFingerprint,
  { config, servers }: AgentParts,
): readonly string[] {
  const names = tools.map(({ name }) => name);
  const configured = [
    ...Object.keys(membersOf(config.mcpServers)),
    ...servers.servers.connections.map(({ server }) => server.name),
  ];
  const strays = rulesOfNoServer(all, configured, names);
  checkDenied(strays);
  return [
    ...strays.map(({ rule: { text, from }, why }) => `rule \`${text}\` (${from}) matches no tool: ${why}`),
    ...misnamedTools(all, names).map(
      ({ rule: { text, from }, meant }) =>
        `rule \`${text}\` (${from}) matches no tool; did you mean \`${meant}\`?`,
    ),
  ];
}

/**
 * @throws HitlError USAGE for a rule that denies tools of a server that is not configured, because the rule
 * would have no effect
 */
function checkDenied(strays: ReturnType<typeof rulesOfNoServer>): void {
  const denied = strays.find(({ rule }) => rule.effect === 'deny');
  if (denied === undefined) return;
  const { rule, why } = denied;
  throw new HitlError('USAGE', `rule \`${rule.text}\` (${rule.from}) does not deny any call: ${why}`, {
    hint: `correct it, configure the server, or: hitl rules remove ${rule.text}`,
  });
}

/** Returns the URL of a server without user name and password, to record in the session. */
export function serverName(baseUrl: string | undefined): string | undefined {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return undefined;
  const url = new URL(baseUrl);
  url.username = '';
  url.password = '';
  return url.href;
}

/** Refuses a cost limit if it cannot be enforced because the prices of the model are unknown. */
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
    hint: 'the installed version of the model’s package does not support this flag; update it, or leave the flag out',
  });
}

/**
 * Loads the workflow, wraps each tool in its nodes with the output guard, and applies the rules to these
 * tools.
 */
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

/**
 * Returns the descriptions of all tools that a session can use. If two tools have the same name, returns the
 * description of the one offered in chats.
 */
function allDescriptors(tools: ToolSet, graph: Graph | undefined): readonly ToolDescriptor[] {
  const own = graph === undefined ? [] : toolsOfGraph(graph);
  return [
    ...tools.descriptors,
    ...own.filter(({ name }) => tools.get(name) === undefined).map((tool) => describeTool(tool)),
  ];
}

/**
 * Returns the system prompt. A value such as `@file` is read from that file; any other value is the prompt
 * itself.
 */
async function systemPrompt(
  io: Io,
  flag: string | undefined,
  saved: string | undefined,
): Promise<string | undefined> {
  if (flag?.startsWith('@') !== true) return flag ?? saved;
  const file = resolve(io.cwd, flag.slice(1));
  return namedText(file, `the system prompt \`${file}\``, {
    hint: 'check the path after `@`; without `@` the flag is the prompt itself',
  });
}
