import { mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RuleEffect, ToolRule } from '../src/core/index.js';
import { escapeText, HitlError, isJsonObject, messageOf, readRule, ruleText } from '../src/core/index.js';
import { personHere, replaceFile } from './host/index.js';
import { loadConfig } from './config/index.js';
import type { Io } from './host/index.js';
import type { CommonFlags } from './flags/index.js';
import type { RulesFlags } from './rules.js';
import { openStore } from './store/index.js';

/**
 * `hitl rules add`: one more rule in the user's configuration.
 * @throws HitlError USAGE for a rule that cannot be read.
 */
export async function addRule(
  io: Io,
  [effect, words]: readonly unknown[],
  flags: CommonFlags,
): Promise<number> {
  const rule = ruleFrom(effect, words);
  const { path, config } = await loadConfig(io);
  const lists = listsOf(config.rules, path);
  const list = lists[rule.effect] ?? [];
  const text = rule.text.slice(rule.effect.length + 1);
  if (list.includes(text)) return said(io, flags, `it is there already: ${rule.text} (${path})`);
  await write(path, { ...config, rules: { ...lists, [rule.effect]: [...list, text] } });
  return said(io, flags, `added: ${rule.text} (${path})`);
}

/**
 * `hitl rules remove`: takes a rule out of the user's configuration, or back from a session.
 * @throws HitlError USAGE where there is no such rule.
 */
export async function removeRule(
  io: Io,
  [effect, words]: readonly unknown[],
  flags: RulesFlags,
): Promise<number> {
  if (flags.session !== undefined) return removeFromSession(io, flags, { effect, words });
  const { text: wanted } = ruleFrom(effect, words, { mayBeBroken: true });
  const { path, config } = await loadConfig(io);
  const lists = listsOf(config.rules, path);
  const name = String(effect);
  const list = lists[name] ?? [];
  const left = list.filter((text) => `${name} ${text}` !== wanted);
  if (left.length === list.length) throw noRule(wanted, path);
  await write(path, { ...config, rules: { ...lists, [name]: left } });
  return said(io, flags, `removed: ${wanted} (${path})`);
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

const EFFECTS: readonly RuleEffect[] = ['allow', 'ask', 'deny'];

function ruleFrom(effect: unknown, words: unknown, { mayBeBroken = false } = {}): ToolRule {
  const known = EFFECTS.find((one) => one === effect);
  if (known === undefined)
    throw new HitlError('USAGE', `there is no effect \`${String(effect)}\``, {
      hint: 'a rule begins with allow, ask or deny: hitl rules add deny run_command git push',
    });
  const given = Array.isArray(words) ? words.map(String) : [];
  const [first = '', ...more] = given;
  const rule = readRule(known, more.length === 0 ? first : ruleText(first, more), '');
  if (rule.problem === undefined || mayBeBroken) return rule;
  throw new HitlError('USAGE', `the rule \`${rule.text}\` cannot be read: ${rule.problem}`, {
    hint: 'a rule is the name of a tool, or run_command with a command, and … where more may follow',
  });
}

type Lists = Readonly<Record<string, readonly string[]>>;

/** @throws HitlError BAD_CONFIG where the rules are no lists of texts: nothing is written over what cannot be read. */
function listsOf(rules: unknown, path: string): Lists {
  if (rules === undefined) return {};
  const lists: Record<string, readonly string[]> = {};
  for (const [effect, list] of Object.entries(isJsonObject(rules) ? rules : { rules })) {
    const texts: readonly unknown[] = Array.isArray(list) ? list : [undefined];
    const read = texts.filter((text) => typeof text === 'string');
    if (read.length !== texts.length)
      throw new HitlError('BAD_CONFIG', `the rules of \`${path}\` are no lists of texts`, {
        hint: 'mend it by hand: { "rules": { "deny": ["run_command git push"] } }',
      });
    lists[effect] = read;
  }
  return lists;
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
