import type { SessionMode, ToolDescriptor } from './agent.js';
import { isAbout, isMadeFor } from './judge-call.js';
import type { RulePlace } from './path-pattern.js';
import { below, isBelow } from './path-pattern.js';
import { onlyReads } from './served-tool.js';
import type { ToolRule } from './tool-rule.js';

/** Tools that only change a file. */
const EDIT_TOOLS = ['edit_file', 'write_file'] as const;

/** Returns a mode's rules. They are added to all other rules, and the strongest rule decides as usual. */
export function modeRules(mode: SessionMode, place: RulePlace, from: string): readonly ToolRule[] {
  const text = modeText(mode);
  switch (mode) {
    case 'ask':
      return [];
    case 'read-only':
      return [{ effect: 'deny', tool: '*', scope: { type: 'mode', mode }, text, from }];
    case 'accept-edits': {
      return editRules(place, { text, from });
    }
    case 'auto': {
      const wide = widthOf(place);
      const within = below(place.folder, place);
      const scope = { type: 'mode', mode, within, ...(wide !== undefined && { wide }) } as const;
      return [
        ...editRules(place, { text, from }),
        { effect: 'allow', tool: 'run_command', scope, text, from },
      ];
    }
  }
}

function editRules(place: RulePlace, said: Pick<ToolRule, 'text' | 'from'>): readonly ToolRule[] {
  const wide = widthOf(place);
  const within = below(place.folder, place);
  const scope = { type: 'mode', mode: 'accept-edits', within, ...(wide !== undefined && { wide }) } as const;
  return EDIT_TOOLS.map((tool) => ({ effect: 'allow', tool, scope, ...said }));
}

/** Returns the text of a mode's rule, as recorded in the journal. */
export function modeText(mode: SessionMode): string {
  return `mode ${mode}`;
}

/** Describes a mode in one line. */
export function modeInWords(mode: SessionMode, place: RulePlace): string {
  const wide = mode === 'accept-edits' || mode === 'auto' ? widthOf(place) : undefined;
  return `${modeText(mode)}: ${wide === undefined ? MEANS[mode] : `does not allow anything, because this is ${wide}`}`;
}

const MEANS: Readonly<Record<SessionMode, string>> = {
  ask: 'asks before changing or sending anything',
  'read-only': 'denies anything that changes or sends something',
  'accept-edits': 'changes files here without asking; shows each change',
  auto: 'changes files here without asking, also through commands run in a copy; shows each change',
};

/** Returns the reason that a folder is too broad to allow edits in it, or `undefined` if it is not. */
export function widthOf({ folder, home }: RulePlace): string | undefined {
  if (folder === '/') return 'the file system root';
  if (folder === home) return 'your home folder';
  return isBelow(home, folder) ? 'a folder above your home folder' : undefined;
}

/**
 * Whether a rule allows a tool because its server declares the tool read-only. The user has chosen to trust
 * that declaration.
 */
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

/** Whether a rule may match a tool's calls, as far as this can be determined without a call. */
export function concerns(rule: ToolRule, tool: Pick<ToolDescriptor, 'name' | 'effect' | 'mcp'>): boolean {
  if (!isAbout(rule, tool.name)) return false;
  const { scope } = rule;
  if (scope?.type === 'served')
    return tool.mcp?.server === scope.server && (!scope.readOnly || onlyReads(tool.mcp));
  return scope?.type !== 'mode' || scope.mode !== 'read-only' || tool.effect !== 'none';
}
