import { bareText, livePath, plainLine, readableTextOf } from '../core/index.js';
import type { Refusal, ReplyEnd, RunEnd, RunState } from '../core/index.js';

/** Columns of a provider's words about a refusal. */
const LONGEST_REASON = 400;

/**
 * The model's final text of the latest turn: that of the last model message after the last user message, where that
 * message called no tool; what a tool ended the run with stands in for it. Empty while there is none.
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
 * Gives what a run ended with beside words of a model: the output of a tool, or that of the last node of a workflow;
 * `undefined` where there is none.
 */
export function endOutput(reason: RunEnd, { graph }: RunState): string | undefined {
  if (reason.type === 'finished' && reason.output !== undefined) return bareText(reason.output);
  if (reason.type !== 'done' || graph === undefined) return undefined;
  const output = livePath(graph).at(-1)?.output;
  return output === undefined ? undefined : bareText(output.value);
}

/** Says why a reply did not end by itself; empty where there is nothing to say. */
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

/** `The model declined to continue (cyber): …`; the provider's words, safe for a terminal. */
function refusalNotice({ category, explanation }: Refusal): string {
  const kind = category === undefined ? '' : ` (${plainLine(category, LONGEST_REASON)})`;
  const why = explanation === undefined ? '' : `: ${plainLine(explanation, LONGEST_REASON)}`;
  return `The model declined to continue${kind}${why}`;
}
