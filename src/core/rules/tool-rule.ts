import { isLegalToolName } from '../message/index.js';
import type { CommandScope } from './command-scope.js';
import { FURTHER, isFurther, readCommandScope } from './command-scope.js';

/** What a rule does with the calls that it is about. */
export type RuleEffect = 'allow' | 'ask' | 'deny';

/** A rule about calls of tools, as somebody wrote it down. */
export interface ToolRule {
  readonly effect: RuleEffect;
  /** `*` is every tool. */
  readonly tool: string;
  /** The commands that it is about; only for `run_command`. Absent: every call of the tool. */
  readonly command?: CommandScope;
  /** Why it cannot be read; whatever it may be about is asked then. */
  readonly problem?: string;
  /** As it was written, with its effect: `deny run_command git push`. */
  readonly text: string;
  /** The file in which it stands. */
  readonly from: string;
}

/** The tool whose rules may name the first words of a command. */
const COMMAND_TOOL = 'run_command';

/**
 * Reads `fetch_url`, `*`, `run_command git push` or `run_command git push …`. What cannot be read is a rule too: it asks, about the tool that
 * it names, or about every tool (G35).
 */
export function readRule(effect: RuleEffect, text: string, from: string): ToolRule {
  const [tool = '', ...rest] = text.trim().split(/[ \t]+/u);
  const isNamed = isLegalToolName(tool);
  const about = { effect, tool: isNamed ? tool : '*', text: `${effect} ${text}`, from };
  if (!isNamed && tool !== '*') return { ...about, problem: `\`${tool}\` is no name of a tool` };
  if (tool === '*' && effect === 'allow') return { ...about, problem: 'nothing allows every tool' };
  if (rest.length === 0) return about;
  if (tool !== COMMAND_TOOL)
    return { ...about, problem: `only \`${COMMAND_TOOL}\` takes words behind the name` };
  const command = readCommandScope(text.trim().slice(tool.length));
  if (command !== undefined) return { ...about, command };
  return { ...about, problem: 'the words of the command are more than plain words' };
}

/** The text of a rule about a command whose words are given one by one. */
export function ruleText(tool: string, words: readonly string[]): string {
  const quoted = words.map((word, at) =>
    at === words.length - 1 && isFurther(word)
      ? FURTHER
      : /^[A-Za-z0-9_@%+=:,./-]+$/u.test(word)
        ? word
        : word.includes("'")
          ? `"${word}"`
          : `'${word}'`,
  );
  return [tool, ...quoted].join(' ');
}
