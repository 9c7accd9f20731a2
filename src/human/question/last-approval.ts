import type { Interrupt, JsonValue, RunState } from '../../core/index.js';
import { escapeText } from '../../core/index.js';
import { differenceLines, differences } from '../difference/json-difference.js';
import type { QuestionLine } from '../values/text-line.js';
import { ownLine } from '../values/text-line.js';

interface Approved {
  readonly id: string;
  readonly input: JsonValue;
}

/** Returns the latest approved call of the same tool in this session. */
function lastApproved({ source, path }: Interrupt, { resolved }: RunState): Approved | undefined {
  if (source.type !== 'tool') return undefined;
  const earlier = resolved.findLast(
    ({ interrupt: { source: asked, path: place }, resolution }) =>
      resolution.action === 'restart' &&
      asked.type === 'tool' &&
      asked.name === source.name &&
      (asked.ref !== source.ref || place !== path), // else the same call asks again
  );
  if (earlier?.resolution.action !== 'restart' || earlier.interrupt.source.type !== 'tool') return undefined;
  const { interrupt, resolution } = earlier;
  return { id: interrupt.id, input: resolution.input ?? earlier.interrupt.source.input };
}

/**
 * Compares a confirmation field by field with the last approved call of the same tool (T20), with the old
 * value before the new one. Empty if there is no earlier approval.
 */
export function sinceLastApproval(interrupt: Interrupt, state: RunState): readonly QuestionLine[] {
  const { kind, source } = interrupt;
  if (kind !== 'confirmation' || source.type !== 'tool') return [];
  const before = lastApproved(interrupt, state);
  if (before === undefined) return [];
  const lines = differenceLines(differences(before.input, source.input));
  const which = `the last approved call (${escapeText(before.id)})`;
  if (lines.length === 0) return [ownLine('last', `same input as ${which}`)];
  return [
    ownLine('last', `changed since ${which}`),
    ...lines.map((line) => ({ ...line, part: 'last' as const })),
  ];
}
