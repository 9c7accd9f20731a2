import { compactedView } from '../state/compaction.js';
import type { Compacted, Entry, RunState } from '../state/state.js';
import type { Message } from '../data/message.js';
import { isSendable } from '../data/message.js';
import { AppendList } from '../data/sequence.js';
import { extendedForSession } from './limit-answer.js';

/**
 * Truncates the conversation to its first `keep` messages. The removed questions are asked again, but effects
 * are not undone. This is the only event whose cost grows with the length of the conversation.
 */
export function rewindHistory(state: RunState, keep: number, illegal: (why: string) => never): RunState {
  if (state.graph !== undefined) return illegal('a workflow can only go back to a node');
  const all = state.entries.toArray();
  const length = all.length + (state.open === undefined ? 0 : 1);
  if (keep < 0 || keep >= length) return illegal(`invalid number of messages to keep: ${keep} of ${length}`);
  // What a model is sent of an imported history is mended as a whole, and cannot be cut.
  if (viewOf(all, state.compacted).length !== state.view.length)
    return illegal('an imported history cannot be shortened');
  const kept = all.slice(0, keep);
  const last = kept.at(-1);
  if (last?.calls !== undefined)
    return illegal(`message ${keep} cannot be separated from the results of its calls`);
  const { open: _open, asks: _asks, ended: _ended, compacted: former, ...rest } = state;
  // Behind what a summary stands for it stays; before it, the model is sent the messages again.
  const compacted =
    former !== undefined && former.to <= keep ? { ...former, at: Math.min(former.at, keep) } : undefined;
  const since = kept.slice(kept.findLastIndex(({ message }) => message.role === 'user') + 1);
  const gone = [...all.slice(keep).flatMap(({ calls = [] }) => calls), ...(state.open?.calls ?? [])];
  const started = gone.filter(({ attempts }) => attempts > 0);
  const waitsForUser = last === undefined || last.message.role === 'model';
  return {
    ...rest,
    entries: AppendList.of(kept),
    ...(compacted !== undefined && { compacted }),
    view: AppendList.of(viewOf(kept, compacted)),
    turns: kept.filter(({ message }) => message.role === 'user').length,
    rounds: since.filter(({ message }) => message.role === 'tool').length,
    ...(started.length > 0 && {
      takenBack: [
        ...(state.takenBack ?? []),
        ...started.map(({ request, input }) => ({ name: request.name, input })),
      ],
    }),
    ...(state.filesBack !== undefined && {
      filesBack: state.filesBack.map((file) => ({ ...file, isKnown: true }) as const),
    }),
    modelAttempts: 0,
    extended: extendedForSession(state.extended),
    ...(waitsForUser && { ended: { type: 'done' } }),
  };
}

function viewOf(entries: readonly Entry[], compacted: Compacted | undefined): readonly Message[] {
  if (compacted !== undefined) return compactedView(entries, compacted);
  return entries.flatMap(({ message, view = message }) => (isSendable(view) ? [view] : []));
}
