import type {
  Activation,
  GraphState,
  Interrupt,
  InterruptDraft,
  JsonValue,
  NodeSource,
  RunState,
} from '../../core/index.js';
import { CHANGED, isJsonObject, memberDifferences, membersOf } from '../../core/index.js';

interface Instead {
  readonly state: GraphState;
  /** The question that was asked and answered where this is asked now. */
  readonly instead: Interrupt | undefined;
}

/** A question with what is not as it was when a person was asked before, where one was. */
export function withChanges(
  draft: InterruptDraft,
  { since }: Activation,
  { state, instead }: Instead,
): InterruptDraft {
  if (since !== undefined) {
    const keys = [...Object.keys(since.set), ...(since.unset ?? [])];
    const now = keys.flatMap((key) => {
      const value = state.get(key);
      return value === undefined ? [] : [[key, value] as const];
    });
    return changed(draft, memberDifferences(since.set, Object.fromEntries(now)));
  }
  if (instead === undefined) return draft;
  return changed(
    draft,
    memberDifferences(membersOf(withoutChanges(instead.payload)), membersOf(draft.payload)),
  );
}

/** A gate with why its yes does not count any more, and how the state is not the one that it showed, where it asks again. */
export function gateChanges(
  draft: InterruptDraft,
  { resolved }: RunState,
  lapsed: readonly string[] = [],
): InterruptDraft {
  const { source, payload } = draft;
  if (source.type !== 'node') return draft;
  const [old, now] = [shownBefore(source, resolved), membersOf(payload)['state']];
  const differences =
    old === undefined || now === undefined ? [] : memberDifferences(membersOf(old), membersOf(now));
  return changed(draft, [...lapsed, ...differences]);
}

/** The state that a gate showed when it last asked at this place. */
function shownBefore(source: NodeSource, resolved: RunState['resolved']): JsonValue | undefined {
  const asked = resolved.findLast(
    ({ interrupt }) =>
      interrupt.kind === 'gate' && interrupt.source.type === 'node' && isSamePlace(interrupt.source, source),
  );
  return membersOf(asked?.interrupt.payload)['state'];
}

function isSamePlace(left: NodeSource, right: NodeSource): boolean {
  return left.nodeId === right.nodeId && left.visit === right.visit && left.phase === right.phase;
}

function changed(draft: InterruptDraft, lines: readonly string[]): InterruptDraft {
  if (lines.length === 0) return draft;
  return { ...draft, payload: { ...membersOf(draft.payload), [CHANGED]: lines } };
}

/** A question whose answer does not count any more, and why. */
export function lapsedAnswer(draft: InterruptDraft, lines: readonly string[]): InterruptDraft {
  return changed(draft, lines);
}

/** A question whose answer held a secret, and went with the process that it was typed into. */
export function askedAgain(draft: InterruptDraft): InterruptDraft {
  return changed(draft, ['a secret was typed into a process that is gone, and was not kept: type it again']);
}

/** Gives what is asked, without what has changed since it was asked before. */
export function withoutChanges(payload: JsonValue): JsonValue {
  if (!isJsonObject(payload)) return payload;
  const { [CHANGED]: _changed, ...rest } = payload;
  return rest;
}
