import type { JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, membersOf } from '../data/json.js';
import type { Sequence } from '../data/sequence.js';
import type { Entry } from '../state/state.js';

/** A step in a model's to-do list. */
export interface TodoItem {
  /** Text written by a model. */
  readonly text: string;
  readonly state: 'open' | 'doing' | 'done';
}

/** The name of the to-do list tool. */
export const TODO_TOOL = 'todo';

/** Reads the to-do list from the input of a call, ignoring anything that is not a step. */
export function todoItems(input: JsonValue): readonly TodoItem[] {
  const { items } = membersOf(input);
  if (items === undefined || !isJsonArray(items)) return [];
  return items.flatMap((item): readonly TodoItem[] => {
    if (!isJsonObject(item) || typeof item['text'] !== 'string') return [];
    const { text, state } = item;
    return [{ text, state: state === 'doing' || state === 'done' ? state : 'open' }];
  });
}

/**
 * Returns the to-do list from the latest successful call, searching from the last message back to message
 * `from`; `undefined` if there is none.
 */
export function lastTodo(entries: Sequence<Entry>, from = 0): readonly TodoItem[] | undefined {
  for (let at = entries.length - 1; at >= from; at -= 1) {
    const call = entries
      .at(at)
      ?.calls?.findLast(({ request, state }) => request.name === TODO_TOOL && isDone(state));
    if (call !== undefined) return todoItems(call.request.input);
  }
  return undefined;
}

function isDone(state: NonNullable<Entry['calls']>[number]['state']): boolean {
  return state.status === 'settled' && state.outcome.type === 'output';
}

/** Returns the current step of a to-do list: the first one in progress, or else the first open one. */
export function currentTodo(items: readonly TodoItem[]): TodoItem | undefined {
  return items.find(({ state }) => state === 'doing') ?? items.find(({ state }) => state === 'open');
}

/** Formats the progress of a to-do list: `2 of 5 done`. */
export function todoCount(items: readonly TodoItem[]): string {
  return `${items.filter(({ state }) => state === 'done').length} of ${items.length} done`;
}
