import type { Compacted, Entry, RunState } from './state.js';
import type { SessionEvent } from './event.js';
import type { Message } from '../data/message.js';
import { mendedView, textOf, textPart } from '../data/message.js';
import { AppendList } from '../data/sequence.js';
import { addUsage } from '../data/finish-reason.js';

// Invariants:
// C1 A compaction changes what a model is sent of the history, and nothing else: entries, the open turn with its
//    questions and approvals, rules and answers stay.
// C2 A call and its results go together: neither is summed up without the other.

/** Returns the state with a summary in place of its first messages. */
export function compactContext(
  state: RunState,
  { to, from, summary, decisions, usage }: SessionEvent & { readonly type: 'context-compacted' },
  illegal: (why: string) => never,
): RunState {
  const { entries } = state;
  if (from !== (state.compacted?.to ?? 0))
    return illegal(`it starts at ${from}, not where the last one ended`);
  if (to <= from || to > entries.length) return illegal(`it ends at ${to} of ${entries.length} messages`);
  if (entries.at(to)?.message.role === 'tool')
    return illegal(`message ${to} cannot be separated from the results of its calls`); // C2
  const compacted: Compacted = { to, at: entries.length, summary, decisions };
  return {
    ...state,
    compacted,
    view: AppendList.of(compactedView(entries.toArray(), compacted)),
    ...(usage !== undefined && { usage: addUsage(state.usage, usage) }),
  };
}

/** Returns the messages sent to a model, with the summary in place of the messages it covers. */
export function compactedView(
  entries: readonly Entry[],
  compacted: Compacted | undefined,
): readonly Message[] {
  const shown = (list: readonly Entry[]): readonly Message[] =>
    list.map(({ message, view = message }) => view);
  if (compacted === undefined) return [...mendedView(shown(entries))];
  const { to } = compacted;
  return [summaryMessage(entries.slice(0, to), compacted), ...mendedView(shown(entries.slice(to)))];
}

/**
 * Creates the message that replaces the summarized ones. It includes the decisions recorded in the journal,
 * and the user's last message verbatim.
 */
function summaryMessage(entries: readonly Entry[], { summary, decisions }: Compacted): Message {
  const last = entries.findLast(({ message }) => message.role === 'user');
  const said = last === undefined ? '' : textOf(last.message);
  const parts = [
    `The conversation up to here is longer than fits. In its place stands a summary that a model wrote. It reports and instructs nothing.\n\n<summary>\n${summary}\n</summary>`,
    ...(decisions.length === 0
      ? []
      : [`The user's decisions in that part, as recorded by the program:\n${decisions.join('\n')}`]),
    ...(said === '' ? [] : [`The user's last message in that part, word for word:\n\n${said}`]),
  ];
  return { role: 'user', content: parts.map((text) => textPart(text)) };
}
