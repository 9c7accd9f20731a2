import type { Interrupt, RunState } from '../../core/index.js';
import { escapeText, onOneLine, stateAt } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER } from '../values/value-rows.js';
import { ownLine } from '../values/text-line.js';
import { PARTS } from './words.js';

/** Number of characters shown from the end of the reasoning. The end is closest to the call. */
const SHOWN = 240;

/**
 * Shows the end of the model's reasoning before the call. The reasoning is not part of the call, so the
 * omitted part does not have to be read. The transcript contains all of it.
 */
export function thoughtBefore({ source, path }: Interrupt, state: RunState): readonly QuestionLine[] {
  if (source.type !== 'tool') return [];
  const content = stateAt(state, path)?.open?.message.content ?? [];
  const call = content.findIndex((part) => part.type === 'tool-request' && part.ref === source.ref);
  const thought = content
    .slice(0, Math.max(call, 0))
    .findLast((part) => part.type === 'reasoning' && part.text.trim() !== '');
  if (thought?.type !== 'reasoning') return [];
  const text = onOneLine(thought.text);
  const end = text.length > SHOWN ? `… ${text.slice(-SHOWN).replace(/^\S*\s/u, '')}` : text;
  const line: QuestionLine = { part: 'why', tone: 'quoted', gutter: GUTTER, text: escapeText(end) };
  return [ownLine('why', PARTS.why), line];
}
