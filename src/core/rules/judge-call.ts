import type { JsonValue } from '../json/index.js';
import type { CommandWords } from './command-words.js';
import { commandWords, programName, staysInside, wantsNetwork } from './command-words.js';
import type { ToolRule } from './tool-rule.js';

// Invariants:
// R1 The verdict is that of a set: neither the order of the rules nor that of their files matters.
// R2 Another `deny` or `ask`, read or not, never allows more: deny wins over doubt, doubt over ask, ask over allow.
// R3 What cannot be analysed is in doubt where a `deny` might be about it, and is never allowed by its words (G35).

/** What rules say about a call, and which of them; `doubt`: one that may forbid it cannot be read, or cannot be excluded. */
export interface RuleVerdict {
  readonly effect: 'deny' | 'doubt' | 'ask' | 'allow';
  readonly rule: ToolRule;
}

const STRENGTH: Readonly<Record<RuleVerdict['effect'], number>> = { deny: 3, doubt: 2, ask: 1, allow: 0 };

/** What rules say about a call of a tool with this input; `undefined` where none is about it. */
export function judgeCall(
  rules: readonly ToolRule[],
  tool: string,
  input: JsonValue,
): RuleVerdict | undefined {
  let strongest: RuleVerdict | undefined;
  let command: CommandWords | undefined;
  for (const rule of rules) {
    if (rule.tool !== '*' && rule.tool !== tool) continue;
    if (rule.words !== undefined) command ??= commandWords(input);
    const effect = effectOn(rule, input, command);
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

function effectOn(
  { effect, words, problem }: ToolRule,
  input: JsonValue,
  command: CommandWords | undefined,
): RuleVerdict['effect'] | undefined {
  if (problem !== undefined) return 'doubt';
  if (words === undefined || command === undefined) return effect;
  if (effect === 'allow')
    return begins(command, words, same) && staysInside(input) && !wantsNetwork(input) ? 'allow' : undefined;
  if (begins(command, words, sameProgram)) return effect;
  if (!command.opaque) return undefined;
  return effect === 'deny' ? 'doubt' : 'ask'; // R3
}

function begins(
  { words }: CommandWords,
  wanted: readonly string[],
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
