import { newCall } from '../state/call.js';
import { withFilesNote } from '../state/files-back.js';
import type { SessionEvent } from '../state/event.js';
import type { ToolRequestPart } from '../data/message.js';
import { isSendable, toolRequestsOf, mendedView } from '../data/message.js';
import { addUsage } from '../data/finish-reason.js';
import type { RefIndex } from '../data/sequence.js';
import type { OpenTurn, RunState } from '../state/state.js';
import { extendedForSession } from './limit-answer.js';

/** Throws the error for an invalid event. */
type Illegal = (why: string) => never;

/** Returns the state with a message added. A message with tool requests opens a turn. */
export function addMessage(
  state: RunState,
  event: SessionEvent & { type: 'message-added' },
  illegal: Illegal,
): RunState {
  const { message, usage, end, refusal } = event;
  if (state.open !== undefined) return illegal('the last model message still has open tool calls');
  if (message.role === 'tool') return illegal('tool messages are only created from settled calls');
  const entry = {
    message,
    ...(usage !== undefined && { usage }),
    ...(end !== undefined && { end }),
    ...(refusal !== undefined && { refusal }),
  };
  const counted = {
    usage: usage === undefined ? state.usage : addUsage(state.usage, usage),
    modelAttempts: 0,
  };
  const requests = message.role === 'model' ? toolRequestsOf(message) : [];
  if (requests.length > 0) {
    const open: OpenTurn = { ...entry, calls: requests.map(newCall) };
    return { ...state, ...counted, ended: undefined, open, refs: withRefs(state.refs, requests, illegal) };
  }
  if (message.role !== 'user') {
    const view = isSendable(message) ? state.view.append(message) : state.view;
    return { ...state, ...counted, ended: undefined, entries: state.entries.append(entry), view };
  }
  const { filesBack } = state;
  const noted = filesBack && withFilesNote(message, filesBack, state.cwd);
  const entries = state.entries.append({
    ...entry,
    ...(noted !== undefined && { view: noted }),
    ...(filesBack !== undefined && { filesBack }),
  });
  const sent = noted ?? message;
  const view = isSendable(sent) ? state.view.append(sent) : state.view;
  const extended = extendedForSession(state.extended);
  const turns = state.turns + 1;
  return {
    ...state,
    ...counted,
    ...(filesBack !== undefined && { filesBack: undefined }),
    ended: undefined,
    ...{ entries, view, turns, rounds: 0, extended },
  };
}

/** Imports history as text only: it contains no open questions and no approvals. */
export function importHistory(
  state: RunState,
  event: SessionEvent & { type: 'history-imported' },
  illegal: Illegal,
): RunState {
  if (state.open !== undefined || state.entries.length > 0) return illegal('the session has already started');
  let { entries, view, refs, turns } = state;
  for (const message of event.messages) {
    entries = entries.append({ message });
    refs = withRefs(refs, toolRequestsOf(message), illegal);
    if (message.role === 'user') turns += 1;
  }
  for (const message of mendedView(event.messages)) view = view.append(message);
  return { ...state, entries, view, refs, turns };
}

function withRefs(refs: RefIndex, requests: readonly ToolRequestPart[], illegal: Illegal): RefIndex {
  let all = refs;
  for (const { ref } of requests) {
    const more = all.add(ref);
    if (more === all) return illegal(`tool ref \`${ref}\` is not unique`);
    all = more;
  }
  return all;
}
