import type { JsonValue } from '../json/index.js';
import type { CallFacts } from './call-facts.js';
import { NOT_BY_WORDS, notByWords } from './call-facts.js';
import type { CommandScope } from './command-scope.js';
import { FURTHER } from './command-scope.js';
import type { CommandWords } from './command-words.js';
import { commandWords, programName, wantsNetwork } from './command-words.js';
import type { ToolRule } from './tool-rule.js';

// Invariants:
// R1 The verdict is that of a set: neither the order of the rules nor that of their files matters.
// R2 Another `deny` or `ask`, read or not, never allows more: deny wins over doubt, doubt over ask, ask over allow.
// R3 What cannot be analysed is in doubt where a `deny` might be about it, and is never allowed by its words (G35).
// R4 Words allow what the plan says runs: without its facts, or with other ones than the words tell of, they allow nothing.

/** What rules say about a call, and which of them; `doubt`: one that may forbid it cannot be read, or cannot be excluded. */
export interface RuleVerdict {
  readonly effect: 'deny' | 'doubt' | 'ask' | 'allow';
  readonly rule: ToolRule;
}

const STRENGTH: Readonly<Record<RuleVerdict['effect'], number>> = { deny: 3, doubt: 2, ask: 1, allow: 0 };

/**
 * What rules say about a call of a tool with this input; `undefined` where none is about it. `facts` is what the tool
 * found and shows of this very call.
 */
export function judgeCall(
  rules: readonly ToolRule[],
  tool: string,
  input: JsonValue,
  facts: CallFacts = {},
): RuleVerdict | undefined {
  let strongest: RuleVerdict | undefined;
  let command: CommandWords | undefined;
  for (const rule of rules) {
    if (rule.tool !== '*' && rule.tool !== tool) continue;
    if (rule.command !== undefined) command ??= commandWords(input);
    const effect = effectOn(rule, { input, facts, command });
    if (effect === undefined) continue;
    if (strongest === undefined || isBefore({ effect, rule }, strongest)) strongest = { effect, rule };
  }
  return strongest;
}

/** The stronger one; of two as strong, the one whose text comes first (R1). */
function isBefore(left: RuleVerdict, right: RuleVerdict): boolean {
  const by = STRENGTH[left.effect] - STRENGTH[right.effect];
  return (
    by > 0 || (by === 0 && `${left.rule.text}\n${left.rule.from}` < `${right.rule.text}\n${right.rule.from}`)
  );
}

interface Judged {
  readonly input: JsonValue;
  readonly facts: CallFacts;
  readonly command: CommandWords | undefined;
}

function effectOn(rule: ToolRule, { input, facts, command }: Judged): RuleVerdict['effect'] | undefined {
  const { effect, command: scope, problem } = rule;
  if (problem !== undefined) return 'doubt';
  if (scope === undefined || command === undefined) return effect;
  if (effect === 'allow')
    return begins(command, scope, same) && whyNotAllowed(scope, command, { input, facts }) === undefined
      ? 'allow'
      : undefined;
  if (begins(command, scope, sameProgram)) return effect;
  if (!command.opaque && facts[NOT_BY_WORDS] === undefined) return undefined;
  return effect === 'deny' ? 'doubt' : 'ask'; // R3
}

/** Why a command that begins with the words of a rule is not allowed by it; `undefined` where it is. */
function whyNotAllowed(
  { words: wanted, further }: CommandScope,
  { words = [] }: CommandWords,
  { input, facts }: Pick<Judged, 'input' | 'facts'>,
): string | undefined {
  if (!further && words.length > wanted.length)
    return `is about exactly this command; with \`${FURTHER}\` behind it, it allows any further arguments`;
  if (wantsNetwork(input)) return 'does not count: the command asks for the network';
  const why = notByWords(facts);
  return why === undefined ? undefined : `does not count (rules with words ${why})`;
}

/** One line about the rule that nearly allows a call, and why it does not: how to write it, or what else runs. */
export function nearlyAllowed(
  rules: readonly ToolRule[],
  tool: string,
  input: JsonValue,
  facts: CallFacts,
): string | undefined {
  const near = rules.flatMap(({ effect, tool: of, command: scope, problem, text, from }) => {
    if (effect !== 'allow' || of !== tool || scope === undefined || problem !== undefined) return [];
    const command = commandWords(input);
    if (!begins(command, scope, same)) return [];
    const why = whyNotAllowed(scope, command, { input, facts });
    return why === undefined ? [] : [`the rule \`${text}\` (${from}) ${why}`];
  });
  return near.sort()[0];
}

function begins(
  { words }: CommandWords,
  { words: wanted }: CommandScope,
  isProgram: (word: string, wanted: string) => boolean,
): boolean {
  return (
    words !== undefined &&
    wanted.every((word, index) => {
      const given = words[index];
      return given !== undefined && (index === 0 ? isProgram(given, word) : given === word);
    })
  );
}

function same(word: string, wanted: string): boolean {
  return word === wanted;
}

/** `/usr/bin/git` is a `git` that is denied too. */
function sameProgram(word: string, wanted: string): boolean {
  return word === wanted || programName(word) === wanted;
}
