import { bareText, livePath, plainLine, readableTextOf } from '../core/index.js';
import type { Refusal, ReplyEnd, RunEnd, RunState } from '../core/index.js';

/** Maximum width of a provider's refusal message, in columns. */
const LONGEST_REASON = 400;

/**
 * Returns the final text of the latest turn: the output of the tool or workflow that ended the run, otherwise
 * the model's last message after the last user message, if that message does not call a tool. Empty if there
 * is neither.
 */
export function finalText(state: RunState): string {
  const { ended } = state;
  const output = ended === undefined ? undefined : endOutput(ended, state);
  if (output !== undefined) return output;
  if (state.open !== undefined) return '';
  const last = state.entries.at(-1)?.message;
  return last?.role === 'model' ? readableTextOf(last) : '';
}

/**
 * Returns the final output of a run if it comes from a tool or from the last node of the workflow, not from
 * the model.
 */
export function endOutput(reason: RunEnd, { graph }: RunState): string | undefined {
  if (reason.type === 'finished' && reason.output !== undefined) return bareText(reason.output);
  if (reason.type !== 'done' || graph === undefined) return undefined;
  const output = livePath(graph).at(-1)?.output;
  return output === undefined ? undefined : bareText(output.value);
}

/** Explains an abnormal end of a reply; empty for a normal end. */
export function endNotice(end: ReplyEnd, refusal: Refusal = {}): string {
  switch (end) {
    case 'length':
      return 'Reply cut off: output token limit reached';
    case 'refusal':
      return refusalNotice(refusal);
    case 'context-window':
      return 'Context window exceeded';
    case 'stop':
    case 'tool-use':
    case 'paused':
    case 'other':
      return '';
  }
}

/**
 * Formats a refusal in the provider's words, safe for a terminal: `The model declined to continue (cyber):
 * …`.
 */
function refusalNotice({ category, explanation }: Refusal): string {
  const kind = category === undefined ? '' : ` (${plainLine(category, LONGEST_REASON)})`;
  const why = explanation === undefined ? '' : `: ${plainLine(explanation, LONGEST_REASON)}`;
  return `The model declined to continue${kind}${why}`;
}
