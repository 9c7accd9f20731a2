import type { JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, membersOf } from '../data/json.js';
import type { Sequence } from '../data/sequence.js';
import type { Entry } from '../state/state.js';

/** A step of the list that a model keeps. */
export interface TodoItem {
  /** Words of a model. */
  readonly text: string;
  readonly state: 'open' | 'doing' | 'done';
}

/** The name of the tool that keeps the list. */
export const TODO_TOOL = 'todo';

/** Reads the list from the input of a call; what is not a step is left out. */
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
 * Finds the list as the model last gave it in a call that succeeded, from the last message back to the one numbered
 * `from`; `undefined` where there is none.
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

/** The step that the model is at: the first that it does, else the first that is open. */
export function currentTodo(items: readonly TodoItem[]): TodoItem | undefined {
  return items.find(({ state }) => state === 'doing') ?? items.find(({ state }) => state === 'open');
}

/** Counts what is done of a list: `2 of 5 done`. */
export function todoCount(items: readonly TodoItem[]): string {
  return `${items.filter(({ state }) => state === 'done').length} of ${items.length} done`;
}
