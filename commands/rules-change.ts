import { mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ToolRule } from '../src/core/index.js';
import {
  escapeText,
  HitlError,
  isJsonObject,
  messageOf,
  nearNames,
  readRule,
  ruleText,
} from '../src/core/index.js';
import { offeredTools } from './agent/index.js';
import { effectiveFlags, EFFECTS, FOLDERS, loadConfig, rulePlace } from './config/index.js';
import { modeOf } from './flags/index.js';
import type { CommonFlags, RunFlags } from './flags/index.js';
import { personHere, replaceFile } from './host/index.js';
import type { Io } from './host/index.js';
import type { RulesFlags } from './rules.js';
import { openStore } from './store/index.js';

/** Where a rule is written. */
export interface RulesChangeFlags extends RulesFlags, RunFlags {
  /** Only for the working directory. */
  readonly here?: boolean;
}

/**
 * `hitl rules add`: one more rule in the user's configuration.
 * @throws HitlError USAGE for a rule that cannot be read, or that is about nothing.
 */
export async function addRule(
  io: Io,
  [effect, words]: readonly unknown[],
  flags: RulesChangeFlags,
): Promise<number> {
  const rule = ruleFrom(io, effect, words);
  const isKnown = await checkTool(io, rule, flags);
  if (!isKnown && flags.quiet !== true)
    io.stderr.write(`note: no tool \`${escapeText(rule.tool)}\` is offered here now\n`);
  const { path, isNew } = await keepRule(io, rule, flags.here === true ? rulePlace(io).folder : undefined);
  return said(io, flags, `${isNew ? 'added' : 'it is there already'}: ${rule.text} (${path})`);
}

/**
 * Writes a rule into the user's configuration: for everywhere, or for one folder.
 * @throws HitlError BAD_CONFIG where what is there cannot be read, SAVE_FAILED.
 */
export async function keepRule(
  io: Io,
  { effect, text: written }: ToolRule,
  folder: string | undefined,
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  const { path, config } = await loadConfig(io);
  const text = written.slice(effect.length + 1);
  const lists = listsAt(config.rules, path, folder);
  const list = lists[effect] ?? [];
  if (list.includes(text)) return { path, isNew: false };
  await write(path, {
    ...config,
    rules: withLists(config.rules, { ...lists, [effect]: [...list, text] }, folder),
  });
  return { path, isNew: true };
}

/**
 * `hitl rules remove`: takes a rule out of the user's configuration, or back from a session.
 * @throws HitlError USAGE where there is no such rule.
 */
export async function removeRule(
  io: Io,
  [effect, words]: readonly unknown[],
  flags: RulesChangeFlags,
): Promise<number> {
  if (flags.session !== undefined) return removeFromSession(io, flags, { effect, words });
  const { text: wanted } = ruleFrom(io, effect, words, { mayBeBroken: true });
  const { path, config } = await loadConfig(io);
  const folder = flags.here === true ? rulePlace(io).folder : undefined;
  const lists = listsAt(config.rules, path, folder);
  const name = String(effect);
  const list = lists[name] ?? [];
  const left = list.filter((text) => `${name} ${text}` !== wanted);
  if (left.length === list.length) throw noRule(wanted, path);
  await write(path, { ...config, rules: withLists(config.rules, { ...lists, [name]: left }, folder) });
  return said(io, flags, `removed: ${wanted} (${path})`);
}

/** False where nobody knows the tool. @throws HitlError USAGE where another one was meant. */
async function checkTool(io: Io, { tool, text }: ToolRule, given: RulesChangeFlags): Promise<boolean> {
  if (tool.endsWith('*')) return true;
  const mode = modeOf(io, given);
  const { flags, config } = await effectiveFlags(io, given, mode);
  const set = await offeredTools(io, flags, mode, config);
  const names = [...set.descriptors.map(({ name }) => name)];
  if (names.includes(tool)) return true;
  const [near] = nearNames(tool, names);
  if (near === undefined) return false;
  throw new HitlError('USAGE', `the rule \`${text}\` would never match: there is no tool \`${tool}\``, {
    hint: `did you mean \`${near}\`? A tool of a module: name it with --tools <module>`,
  });
}

async function removeFromSession(
  io: Io,
  flags: RulesFlags,
  { effect, words }: { readonly effect: unknown; readonly words: unknown },
): Promise<number> {
  const tool = Array.isArray(words) ? words.join(' ') : '';
  const store = openStore(io, flags);
  const id = await store.resolve(String(flags.session));
  await using session = await store.open(id, 'write');
  const isThere = effect === 'always' && session.state.rules.some((rule) => rule.tool === tool);
  if (!isThere) throw noRule(`${String(effect)} ${tool}`, `session ${id}`);
  await session.append([{ type: 'rule-removed', tool, by: personHere(io, 'answer') }]);
  return said(io, flags, `removed: always ${tool} (session ${id})`);
}

function noRule(text: string, from: string): HitlError {
  return new HitlError('USAGE', `there is no rule \`${text}\` in ${from}`, {
    hint: '`hitl rules` lists them as they are written',
  });
}

function ruleFrom(io: Io, effect: unknown, words: unknown, { mayBeBroken = false } = {}): ToolRule {
  const known = EFFECTS.find((one) => one === effect);
  if (known === undefined)
    throw new HitlError('USAGE', `there is no effect \`${String(effect)}\``, {
      hint: 'a rule begins with allow, ask or deny: hitl rules add deny run_command git push',
    });
  const given = Array.isArray(words) ? words.map(String) : [];
  const [first = '', ...more] = given;
  const text = more.length === 0 ? first : ruleText(first, more);
  const rule = readRule(known, text, '', rulePlace(io));
  if (rule.problem === undefined || mayBeBroken) return rule;
  throw new HitlError('USAGE', `the rule \`${rule.text}\` cannot be read: ${rule.problem}`, {
    hint: 'a rule is a tool, or behind it a command, a path, a host or an input as JSON: hitl rules add --help',
  });
}

type Lists = Readonly<Record<string, readonly string[]>>;

/** The lists of everywhere, or of a folder. @throws HitlError BAD_CONFIG where they are no lists of texts. */
function listsAt(rules: unknown, path: string, folder: string | undefined): Lists {
  if (rules === undefined) return {};
  if (!isJsonObject(rules)) throw noLists(path);
  if (folder === undefined) return listsOf(rules, path);
  const folders = rules[FOLDERS] ?? {};
  if (!isJsonObject(folders)) throw noLists(path);
  return listsOf(folders[folder] ?? {}, path);
}

/** The rules with other lists for everywhere, or for a folder. */
function withLists(rules: unknown, lists: Lists, folder: string | undefined): object {
  const before = isJsonObject(rules) ? rules : {};
  const folders = isJsonObject(before[FOLDERS]) ? before[FOLDERS] : undefined;
  if (folder !== undefined) return { ...before, [FOLDERS]: { ...folders, [folder]: lists } };
  return { ...lists, ...(folders !== undefined && { [FOLDERS]: folders }) };
}

/** Nothing is written over what cannot be read. */
function listsOf(rules: unknown, path: string): Lists {
  if (!isJsonObject(rules)) throw noLists(path);
  const lists: Record<string, readonly string[]> = {};
  for (const [effect, list] of Object.entries(rules)) {
    if (effect === FOLDERS) continue;
    const texts: readonly unknown[] = Array.isArray(list) ? list : [undefined];
    const read = texts.filter((text) => typeof text === 'string');
    if (read.length !== texts.length) throw noLists(path);
    lists[effect] = read;
  }
  return lists;
}

function noLists(path: string): HitlError {
  return new HitlError('BAD_CONFIG', `the rules of \`${path}\` are no lists of texts`, {
    hint: 'mend it by hand: { "rules": { "deny": ["run_command git push"] } }',
  });
}

async function write(path: string, config: object): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Where it is a link, its target is replaced and the link stays.
    const target = await realpath(path).catch(() => path);
    await replaceFile(target, `${JSON.stringify(config, null, 2)}\n`);
  } catch (cause) {
    throw new HitlError('SAVE_FAILED', `cannot write \`${path}\`: ${messageOf(cause)}`, {
      hint: 'nothing was changed',
      cause,
    });
  }
}

function said(io: Io, { quiet }: CommonFlags, text: string): number {
  if (quiet !== true) io.stderr.write(`${escapeText(text)}\n`);
  return 0;
}
