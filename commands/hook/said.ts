import type { JsonObject, JsonValue } from '../../src/core/index.js';
import type { EventName, HookWord } from '../asking/agents.js';

/** What a hook prints; `undefined`: nothing. */
export function said(event: EventName, word: HookWord): JsonObject | undefined {
  if (word.type === 'none') return undefined;
  const named = { hookEventName: event };
  if (event === 'PermissionRequest') {
    const decision = decisionOf(word);
    return decision && { hookSpecificOutput: { ...named, decision } };
  }
  const hookSpecificOutput = {
    ...named,
    permissionDecision: word.type,
    permissionDecisionReason: `hitl: ${word.why}`,
    ...updated(word),
  };
  return { hookSpecificOutput };
}

/** A dialog is allowed or denied, or comes as it would. */
function decisionOf(word: HookWord): JsonObject | undefined {
  if (word.type === 'allow') return { behavior: 'allow', ...updated(word) };
  return word.type === 'deny' ? { behavior: 'deny', message: `hitl: ${word.why}` } : undefined;
}

function updated(word: HookWord): { readonly updatedInput?: JsonValue } {
  return word.type === 'allow' && word.input !== undefined ? { updatedInput: word.input } : {};
}
