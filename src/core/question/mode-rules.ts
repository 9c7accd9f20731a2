import type { SessionMode, ToolDescriptor } from './agent.js';
import { isAbout, isMadeFor } from './judge-call.js';
import type { RulePlace } from './path-pattern.js';
import { below, isBelow } from './path-pattern.js';
import { onlyReads } from './served-tool.js';
import type { ToolRule } from './tool-rule.js';

/** The tools that change a file, and do nothing else. */
const EDIT_TOOLS = ['edit_file', 'write_file'] as const;

/** The rules that a mode is: they stand in one list with all others, and the strongest decides as ever. */
export function modeRules(mode: SessionMode, place: RulePlace, from: string): readonly ToolRule[] {
  const text = modeText(mode);
  switch (mode) {
    case 'ask':
      return [];
    case 'read-only':
      return [{ effect: 'deny', tool: '*', scope: { type: 'mode', mode }, text, from }];
    case 'accept-edits': {
      const wide = widthOf(place);
      const within = below(place.folder, place);
      const scope = { type: 'mode', mode, within, ...(wide !== undefined && { wide }) } as const;
      return EDIT_TOOLS.map((tool) => ({ effect: 'allow', tool, scope, text, from }));
    }
  }
}

/** The rule of a mode, as the journal names it. */
export function modeText(mode: SessionMode): string {
  return `mode ${mode}`;
}

/** Says what a mode means here, in one line. */
export function modeInWords(mode: SessionMode, place: RulePlace): string {
  const wide = mode === 'accept-edits' ? widthOf(place) : undefined;
  return `${modeText(mode)}: ${wide === undefined ? MEANS[mode] : `allows nothing, because this is ${wide}`}`;
}

const MEANS: Readonly<Record<SessionMode, string>> = {
  ask: 'what changes or sends something is asked about',
  'read-only': 'what changes or sends something is denied',
  'accept-edits': 'files here change without a question; each turn lists them',
};

/** Says why lying in a folder tells nothing; `undefined` where it does. */
function widthOf({ folder, home }: RulePlace): string | undefined {
  if (folder === '/') return 'the root of the file system';
  if (folder === home) return 'your home folder';
  return isBelow(home, folder) ? 'a folder above your home folder' : undefined;
}

/** True for a tool that a rule lets run because its server says that it only reads: somebody took its word for that. */
export function isReadOnlyByRule(tool: ToolDescriptor, rules: readonly ToolRule[]): boolean {
  return rules.some(
    (rule) =>
      rule.effect === 'allow' &&
      rule.scope?.type === 'served' &&
      rule.scope.readOnly &&
      concerns(rule, tool) &&
      isMadeFor(rule, tool),
  );
}

/** True for a rule that may be about a call of a tool, as far as can be told before there is one. */
export function concerns(rule: ToolRule, tool: Pick<ToolDescriptor, 'name' | 'effect' | 'mcp'>): boolean {
  if (!isAbout(rule, tool.name)) return false;
  const { scope } = rule;
  if (scope?.type === 'served')
    return tool.mcp?.server === scope.server && (!scope.readOnly || onlyReads(tool.mcp));
  return scope?.type !== 'mode' || scope.mode !== 'read-only' || tool.effect !== 'none';
}
