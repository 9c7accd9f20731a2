import type { RunState, SessionEvent } from '../core/index.js';
import { count, textTokens } from '../core/index.js';
import { formatCount } from './usage-line.js';

/** `compacted: 120 messages are a summary of about 900 tokens for the model · Ctrl-O shows it` */
export function compactedLine(
  { from, to, summary }: SessionEvent & { readonly type: 'context-compacted' },
  unfold: string | undefined,
): string {
  const what = count(to - from, 'message is', 'messages are');
  const how = unfold === undefined ? '' : ` · ${unfold} shows it`;
  return `compacted: ${what} now a summary of about ${formatCount(textTokens(summary))} tokens${how}`;
}

/** Says where a chat is after turns were taken back. */
export function rewoundWords({ turns }: RunState): string {
  if (turns === 0) return 'taken back: the session is as it began';
  return `taken back: ${count(turns, 'turn is', 'turns are')} left`;
}
