import type { JsonObject, JsonValue } from '../../src/core/index.js';
import type { EventName, HookWord } from '../asking/agents.js';

/** Returns the output of a hook, or `undefined` if it prints nothing. */
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

/**
 * Returns the decision for the agent's permission dialog, or `undefined` to let the dialog appear as usual.
 */
function decisionOf(word: HookWord): JsonObject | undefined {
  if (word.type === 'allow') return { behavior: 'allow', ...updated(word) };
  return word.type === 'deny' ? { behavior: 'deny', message: `hitl: ${word.why}` } : undefined;
}

function updated(word: HookWord): { readonly updatedInput?: JsonValue } {
  return word.type === 'allow' && word.input !== undefined ? { updatedInput: word.input } : {};
}
