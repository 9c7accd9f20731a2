import type { Interrupt, JsonValue, RunState, Shown } from '../../core/index.js';
import { bareText, CHANGED, escapeText, isJsonArray, isJsonObject, shown, timeOf } from '../../core/index.js';
import type { Warning } from '../warnings/finding.js';
import type { QuestionContent } from './question-content.js';
import { choiceWarnings, textWarnings, warningsOf } from '../warnings/warnings.js';

/**
 * Returns warnings about an interrupt: those about deceptive text in its names, input and choices, and those
 * from its approval check.
 */
export function warningsOfInterrupt(
  interrupt: Interrupt,
  content: QuestionContent,
  { restoredAt }: RunState,
): readonly Warning[] {
  const { source, payload } = interrupt;
  const named = source.type === 'tool' ? textWarnings(source.name, 'tool name') : [];
  const input = source.type === 'tool' ? warningsOf(source.input) : [];
  const labels = content.choices.map((choice) => choice.label);
  const choices = [
    ...labels.flatMap((label, index) => textWarnings(label, `choice ${index + 1}`)),
    ...choiceWarnings(labels),
  ];
  return [
    ...openBefore(interrupt, restoredAt),
    ...named,
    ...input,
    ...choices,
    ...raised(interrupt, payload),
  ];
}

function openBefore(interrupt: Interrupt, restoredAt: string | undefined): readonly Warning[] {
  const message = beforeRestoreWords(interrupt, restoredAt);
  return message === undefined ? [] : [{ kind: 'restored', message, place: '' }];
}

/**
 * Warns about a question that was open in a restored backup and may have been answered since.
 * @param restoredAt ISO 8601
 */
export function beforeRestoreWords(
  { raisedAt }: Pick<Interrupt, 'raisedAt'>,
  restoredAt: string | undefined,
): Shown | undefined {
  if (restoredAt === undefined || !(timeOf(raisedAt) < timeOf(restoredAt))) return undefined;
  return shown`raised before the restore on ${escapeText(restoredAt.slice(0, 10))}: it may already have been answered and run`;
}

/** Returns the warnings from the approval check, or from a node about changes. Their text is not checked. */
function raised({ source }: Interrupt, payload: JsonValue): readonly Warning[] {
  if (source.type === 'node') return changes(payload);
  if (source.type !== 'tool' || source.raisedBy !== 'approval' || !isJsonObject(payload)) return [];
  const { warnings } = payload;
  if (warnings === undefined || !isJsonArray(warnings)) return [];
  return warnings.map((text) => ({
    kind: 'approval',
    message: escapeText(bareText(text)),
    place: '',
  }));
}

/** Returns warnings about changes since an earlier question. */
function changes(payload: JsonValue): readonly Warning[] {
  const lines = isJsonObject(payload) ? payload[CHANGED] : undefined;
  if (lines === undefined || !isJsonArray(lines)) return [];
  return lines.flatMap((line) =>
    typeof line === 'string' ? [{ kind: 'changed', message: escapeText(line), place: '' }] : [],
  );
}
