import type { Call, ResolvedInterrupt } from '../state/call.js';
import { isJsonObject } from '../data/json.js';
import type { Message } from '../data/message.js';
import { isSendable, toolRequestsOf } from '../data/message.js';
import { AppendList, RefIndex } from '../data/sequence.js';
import type { Entry, OpenTurn, RunState } from '../state/state.js';

// Invariants:
// J1 `stateFromJson` gives the state that `stateToJson` was given, also where both were JSON text in between.
// J2 What follows from the entries (the view, the refs, each call's request) is not written where it does follow.
// J3 Members of the state that are plain JSON pass through without being named here.

/** A call. If its request is omitted, it is the request at the same position in the message. */
type CallJson = Omit<Call, 'request'> & Partial<Pick<Call, 'request'>>;

export type EntryJson = Omit<Entry, 'calls'> & { readonly calls?: readonly CallJson[] };
type OpenTurnJson = Omit<OpenTurn, 'calls'> & { readonly calls: readonly CallJson[] };

type Lists = 'entries' | 'view' | 'resolved' | 'refs';

/** A state without its lists. Its size does not depend on the length of the session. */
export type StateBase = Omit<RunState, Lists | 'open'> & {
  readonly open?: OpenTurnJson;
  readonly counts: Readonly<Record<Lists, number>>;
};

/** A state as plain JSON. */
export interface StateJson {
  readonly base: StateBase;
  readonly entries: readonly EntryJson[];
  /** Messages that the model receives. Set only if they cannot be derived from the entries. */
  readonly view?: readonly Message[];
  readonly resolved: readonly ResolvedInterrupt[];
}

/** A state's lists, loaded on demand. */
export interface StateLists {
  entries(): readonly EntryJson[];
  view?(): readonly Message[];
  resolved(): readonly ResolvedInterrupt[];
}

function callsToJson(message: Message, calls: readonly Call[]): readonly CallJson[] {
  const requests = toolRequestsOf(message);
  return calls.map((call, index) => {
    const { request, ...rest } = call;
    return request === requests[index] ? rest : call;
  });
}

/**
 * Restores calls from JSON. Uses the message's own request parts, because they are later matched by identity.
 */
function callsFromJson(message: Message, calls: readonly CallJson[]): readonly Call[] {
  const requests = toolRequestsOf(message);
  return calls.flatMap((call, index) => {
    const request = call.request ?? requests[index];
    return request === undefined ? [] : [{ ...call, request }];
  });
}

function entryToJson(entry: Entry): EntryJson {
  const { calls, ...rest } = entry;
  return calls === undefined ? rest : { ...rest, calls: callsToJson(entry.message, calls) };
}

function entryFromJson(entry: EntryJson): Entry {
  const { calls, ...rest } = entry;
  return calls === undefined ? rest : { ...rest, calls: callsFromJson(entry.message, calls) };
}

/** Derives the messages that the model receives from the entries. */
function viewOfEntries(entries: Iterable<Entry>): readonly Message[] {
  const view: Message[] = [];
  for (const { message, view: shown } of entries) if (isSendable(message)) view.push(shown ?? message);
  return view;
}

function refsOf(entries: Iterable<Entry>, open: OpenTurn | undefined): readonly string[] {
  const refs: string[] = [];
  for (const { calls } of [...entries, ...(open === undefined ? [] : [open])]) {
    for (const { request } of calls ?? []) refs.push(request.ref);
  }
  return refs;
}

function isSameList(left: readonly Message[], right: readonly Message[]): boolean {
  return left.length === right.length && left.every((message, index) => message === right[index]);
}

/**
 * Converts a state to plain JSON. Returns `undefined` for a state with a graph, because a graph's lists do
 * not have a JSON form, and for a state with refs that cannot be derived from its entries.
 */
export function stateToJson(state: RunState): StateJson | undefined {
  const { entries, view, resolved, refs, open, ...plain } = state;
  if (state.graph !== undefined || refs.size !== refsOf(entries, open).length) return undefined;
  const shown = view.toArray();
  return {
    base: {
      ...plain,
      ...(open !== undefined && { open: { ...open, calls: callsToJson(open.message, open.calls) } }),
      counts: { entries: entries.length, view: view.length, resolved: resolved.length, refs: refs.size },
    },
    entries: entries.toArray().map(entryToJson),
    ...(!isSameList(shown, viewOfEntries(entries)) && { view: shown }),
    resolved: resolved.toArray(),
  };
}

/** Restores a state from its base and its lists, which are loaded on first use. */
export function stateFromJson(base: StateBase, lists: StateLists): RunState {
  const { counts, open: openJson, ...plain } = base;
  const open = openJson && { ...openJson, calls: callsFromJson(openJson.message, openJson.calls) };
  const entries = AppendList.lazy(counts.entries, () => lists.entries().map(entryFromJson));
  return {
    ...plain,
    ...(open !== undefined && { open }),
    entries,
    view: AppendList.lazy(counts.view, () => lists.view?.() ?? viewOfEntries(entries)),
    resolved: AppendList.lazy(counts.resolved, () => lists.resolved()),
    refs: RefIndex.lazy(counts.refs, () => refsOf(entries, open)),
  };
}

function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isMessage(value: unknown): value is Message {
  return isJsonObject(value) && typeof value['role'] === 'string' && Array.isArray(value['content']);
}

function areCalls(value: unknown): value is readonly CallJson[] {
  return isArray(value) && value.every((call) => isJsonObject(call) && isJsonObject(call['state']));
}

function isOpenTurn(value: unknown): value is OpenTurnJson {
  return isJsonObject(value) && isMessage(value['message']) && areCalls(value['calls']);
}

/**
 * Whether a value is a state's base. Checks only the properties that the code relies on; a checksum covers
 * the rest.
 */
export function isStateBase(value: unknown): value is StateBase {
  if (!isJsonObject(value)) return false;
  const { counts, rules, open, extended, usage, graph } = value;
  if (
    graph !== undefined ||
    !isJsonObject(counts) ||
    !isArray(rules) ||
    !isJsonObject(extended) ||
    !isJsonObject(usage)
  )
    return false;
  if (open !== undefined && !isOpenTurn(open)) return false;
  const numbers = [counts['entries'], counts['view'], counts['resolved'], counts['refs'], value['turns']];
  return numbers.every((count) => typeof count === 'number');
}

/** Whether a value is a list of state entries in JSON form. */
export function areEntries(value: unknown): value is readonly EntryJson[] {
  if (!isArray(value)) return false;
  return value.every((entry) => {
    if (!isJsonObject(entry) || !isMessage(entry['message'])) return false;
    return entry['calls'] === undefined || areCalls(entry['calls']);
  });
}

/** Whether a value is a list of messages in JSON form. */
export function areMessages(value: unknown): value is readonly Message[] {
  return isArray(value) && value.every(isMessage);
}

/** Whether a value is a list of answered interrupts in JSON form. */
export function areResolved(value: unknown): value is readonly ResolvedInterrupt[] {
  return (
    isArray(value) &&
    value.every((item) => isJsonObject(item) && isJsonObject(item['interrupt']) && isJsonObject(item['by']))
  );
}
