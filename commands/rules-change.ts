import { readdirSync } from 'node:fs';

import type { JsonValue, Tool, ToolRule } from '../src/core/index.js';
import {
  alwaysStronger,
  escapeText,
  HitlError,
  isJsonObject,
  membersOf,
  misnamedTools,
  nearNames,
  present,
  readRule,
  ruleInWords,
  rulesOfNoServer,
  ruleText,
  shown,
} from '../src/core/index.js';
import type { OfferedTools } from './agent/offered-tools.js';
import { offeredTools } from './agent/offered-tools.js';
import { EFFECTS } from './config/configured-rules.js';
import { dropRule, keepRule } from './config/write-rules.js';
import { RuleBindings } from './config/rule-bindings.js';
import { rulePlace } from './config/project-place.js';
import { modeOf } from './flags/mode.js';
import type { CommonFlags, OfferFlags } from './flags/options.js';
import { personHere, tell } from './host/index.js';
import type { Io } from './host/index.js';
import type { RulesFlags } from './rules.js';
import { openStore } from './store/store.js';

/** The flag that selects where a rule is saved. */
interface HereFlag {
  /** Whether to save the rule only for the working directory. */
  readonly here?: boolean;
}

/**
 * `hitl rules add`: adds a rule to the user's configuration.
 * @throws HitlError USAGE if the rule is invalid or matches nothing.
 */
export async function addRule(
  io: Io,
  effect: string,
  words: readonly string[],
  flags: OfferFlags & HereFlag,
): Promise<number> {
  checkUnexpanded(io, words);
  const rule = ruleFrom(io, effect, words);
  await using offered = await offeredTools(io, { ...flags, save: true }, modeOf(io, flags));
  checkName(rule, offered);
  checkReadable(rule);
  const { isKnown, stronger } = await checkTool(rule, offered);
  const { path, isNew } = await keepRule(io, rule, folderOf(io, rule, flags));
  const bound = offered.rules.bind(rule, offered.set.descriptors);
  if (flags.quiet === true) return 0;
  tell(io.stderr, escapeText(`${isNew ? 'added' : 'already exists'}: ${rule.text} (${path})`));
  tell(io.stderr, escapeText(`it ${ruleInWords(rule)}${limitOf(rule)}`));
  for (const line of bound) tell(io.stderr, escapeText(line));
  if (!isKnown) tell(io.stderr, shown`note: tool \`${escapeText(rule.tool)}\` is not currently available`);
  if (stronger !== undefined)
    tell(
      io.stderr,
      shown`warning: this rule never applies: \`${escapeText(stronger.text)}\` (${escapeText(stronger.from)}) overrides it`,
    );
  return 0;
}

/** @throws HitlError USAGE if a shell has expanded `*` to file names. */
function checkUnexpanded({ cwd }: Io, given: readonly string[]): void {
  const entries = readdirSync(cwd).filter((name) => !name.startsWith('.'));
  const [first = ''] = given;
  if (!entries.includes(first) || !entries.every((name) => given.includes(name))) return;
  const more = entries.length === 1 ? '' : ', …';
  throw new HitlError(
    'USAGE',
    `the shell replaced \`*\` with the file names in this folder: ${first}${more}`,
    {
      hint: "quote it: hitl rules add ask '*' …",
    },
  );
}

/**
 * Returns the folder that a rule is limited to, if any. A rule that allows a command prefix is always limited
 * to the folder in which the user adds it.
 */
function folderOf(io: Io, { effect, scope }: ToolRule, { here }: HereFlag): string | undefined {
  return here === true || (effect === 'allow' && scope?.type === 'words') ? rulePlace(io).folder : undefined;
}

/** Explains limits of an `allow` rule that the user may not expect. */
function limitOf({ effect, tool, scope }: ToolRule): string {
  if (effect !== 'allow' || tool !== 'run_command') return '';
  if (scope === undefined) return ', which can read and write anything the sandbox allows';
  if (scope.type !== 'words') return '';
  return scope.further
    ? ' in this folder; hitl still asks if an argument may point outside the working folder or to a file that often contains keys, or can contain a path or a command'
    : ' in this folder';
}

/**
 * `hitl rules remove`: removes a rule from the user's configuration, or revokes a session rule.
 * @throws HitlError USAGE if the rule does not exist.
 */
export async function removeRule(
  io: Io,
  effect: string,
  words: readonly string[],
  flags: RulesFlags & HereFlag,
): Promise<number> {
  if (flags.session !== undefined) return removeFromSession(io, flags, flags.session, { effect, words });
  const rule = ruleFrom(io, effect, words);
  const { text: wanted } = rule;
  const named = { effect, text: wanted };
  const folder = folderOf(io, rule, flags);
  const here = await dropRule(io, named, folder);
  // One that was written by hand stands for everywhere.
  const isElsewhere = !here.wasThere && folder !== undefined && flags.here !== true;
  const { path, wasThere } = isElsewhere ? await dropRule(io, named, undefined) : here;
  if (!wasThere) throw noRule(wanted, path);
  const bindings = await RuleBindings.read(io, { saves: true });
  bindings.drop({ text: wanted });
  await bindings.kept();
  return said(io, flags, `removed: ${wanted} (${path})`);
}

/** Result of checking a rule: whether its tool exists, and the rule that overrides it, if any. */
interface Checked {
  readonly isKnown: boolean;
  readonly stronger?: ToolRule;
}

/**
 * Reports a misspelled tool name before any other problem, because the syntax of the rest of the rule depends
 * on the tool.
 * @throws HitlError USAGE
 */
function checkName({ tool, text, scope, problem }: ToolRule, { set }: OfferedTools): void {
  if (tool === '' || tool.endsWith('*') || scope?.type === 'served' || set.get(tool) !== undefined) return;
  const names = set.descriptors.map(({ name }) => name);
  const [near = problem && names.find((name) => name.startsWith(`${tool}_`))] = nearNames(tool, names);
  if (near === undefined) return;
  throw new HitlError('USAGE', `rule \`${text}\` would never match: unknown tool \`${tool}\``, {
    hint: `did you mean \`${near}\`? For a tool from a module, add --tools <module>`,
  });
}

/**
 * @throws HitlError USAGE if the tool does not belong to a configured server, or if the tool never receives
 * such an input.
 */
async function checkTool(rule: ToolRule, offered: OfferedTools): Promise<Checked> {
  const { tool, text, scope } = rule;
  const checked = present({ stronger: alwaysStronger(rule, offered.rules.all) });
  const names = offered.set.descriptors.map(({ name }) => name);
  const [stray] = rulesOfNoServer([rule], configuredNames(offered), names);
  if (stray !== undefined)
    throw new HitlError('USAGE', `rule \`${text}\` would never match: ${stray.why}`, {
      hint: '`hitl mcp list` shows the servers; add the server first',
    });
  const [misnamed] = tool.endsWith('*') ? misnamedTools([rule], names) : [];
  if (misnamed !== undefined)
    throw new HitlError('USAGE', `rule \`${text}\` would never match: no tool name starts with that prefix`, {
      hint: `did you mean \`${misnamed.meant}\`?`,
    });
  if (tool.endsWith('*') || scope?.type === 'served') return { isKnown: true, ...checked };
  const known = offered.set.get(tool);
  if (known !== undefined) {
    const strange = scope?.type === 'call' ? await strangeProperty(known, scope.input) : undefined;
    if (strange === undefined) return { isKnown: true, ...checked };
    throw new HitlError(
      'USAGE',
      `rule \`${text}\` would never match: \`${tool}\` has no input property \`${strange}\``,
      {
        hint: `check an input with: hitl rules test ${tool} '<input>'`,
      },
    );
  }
  return { isKnown: false, ...checked };
}

/** Returns the names of configured servers and of servers whose tools are loaded. */
function configuredNames({ config, set }: OfferedTools): readonly string[] {
  const met = set.descriptors.flatMap(({ mcp }) => (mcp === undefined ? [] : [mcp.server]));
  return [...Object.keys(membersOf(config.mcpServers)), ...met];
}

/**
 * Returns the first property that calls to the tool can never have, because its schema does not define the
 * property and the tool rejects or drops it.
 */
async function strangeProperty(tool: Tool, input: JsonValue): Promise<string | undefined> {
  const { properties } = tool.inputSchema;
  if (properties === undefined || !isJsonObject(properties)) return undefined;
  const unnamed = Object.keys(membersOf(input)).filter((key) => !Object.hasOwn(properties, key));
  if (unnamed.length === 0) return undefined;
  const parsed = await tool.parseInput(input);
  return unnamed.find((key) => !parsed.ok || !Object.hasOwn(membersOf(parsed.value), key));
}

async function removeFromSession(
  io: Io,
  flags: RulesFlags,
  given: string,
  { effect, words }: { readonly effect: string; readonly words: readonly string[] },
): Promise<number> {
  const tool = words.join(' ');
  const store = openStore(io, flags);
  const id = await store.resolve(given);
  await using session = await store.open(id, 'write');
  const isThere = effect === 'always' && session.state.rules.some((rule) => rule.tool === tool);
  if (!isThere) throw noRule(`${effect} ${tool}`, `session ${id}`);
  await session.append([{ type: 'rule-removed', tool, by: personHere(io, 'answer') }]);
  return said(io, flags, `removed: always ${tool} (session ${id})`);
}

function noRule(text: string, from: string): HitlError {
  return new HitlError('USAGE', `no rule \`${text}\` found in ${from}`, {
    hint: 'see hitl rules',
  });
}

/** Parses a rule. If the rule is invalid, the result contains the problem. */
function ruleFrom(io: Io, effect: string, [first = '', ...more]: readonly string[]): ToolRule {
  const known = EFFECTS.find((one) => one === effect);
  if (known === undefined)
    throw new HitlError('USAGE', `unknown effect \`${effect}\``, {
      hint: 'a rule starts with allow, ask or deny: hitl rules add deny run_command git push',
    });
  const text = more.length === 0 ? first : ruleText(first, more);
  return readRule(known, text, '', rulePlace(io));
}

/** @throws HitlError USAGE for an invalid rule. */
function checkReadable(rule: ToolRule): void {
  if (rule.problem === undefined) return;
  throw new HitlError('USAGE', `invalid rule \`${rule.text}\`: ${rule.problem}`, {
    hint: 'a rule is a tool, optionally followed by a command, a path, a host or a JSON input, and (for ask) by `needs 2 of @ops`: hitl rules add --help',
  });
}

function said(io: Io, { quiet }: CommonFlags, text: string): number {
  if (quiet !== true) tell(io.stderr, escapeText(text));
  return 0;
}
