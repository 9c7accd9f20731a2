import { textOf } from '../core/index.js';
import type { JsonValue, ReplyEnd, RunState } from '../core/index.js';

/**
 * The model's final text of the latest turn: that of the last model message after the last user message, where that
 * message called no tool; what a tool ended the run with stands in for it. Empty while there is none.
 */
export function finalText(state: RunState): string {
  const { ended } = state;
  if (ended?.type === 'finished' && ended.output !== undefined) return outputText(ended.output);
  if (state.open !== undefined) return '';
  const last = state.entries.at(-1)?.message;
  return last?.role === 'model' ? textOf(last) : '';
}

/** An output as text: a string as it is, all else as JSON. */
export function outputText(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

/** What to say about a reply that did not end by itself; empty where there is nothing to say. */
export function endNotice(end: ReplyEnd): string {
  switch (end) {
    case 'length':
      return 'the reply was cut at the limit of output tokens';
    case 'refusal':
      return 'the model refused to go on';
    case 'context-window':
      return 'the conversation is longer than the model can read';
    case 'stop':
    case 'tool-use':
    case 'paused':
    case 'other':
      return '';
  }
}
