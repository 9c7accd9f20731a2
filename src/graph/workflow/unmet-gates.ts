import type { Activation, GraphFrame } from '../../core/index.js';
import { nameOfKey, operationOf } from '../../core/index.js';

/** The gates of a run that name no operation which the code of an activation has come to. */
export function unmetGates(
  { gates = [], nodes }: Pick<GraphFrame, 'gates' | 'nodes'>,
  { operations, checkpoint, asks }: Pick<Activation, 'operations' | 'checkpoint' | 'asks'>,
): readonly string[] {
  if (gates === '*') return [];
  const keys = [
    ...operations.entries().map(([key]) => key),
    ...asks.flatMap(({ interrupt }) => operationOf(interrupt) ?? []),
  ];
  const had = new Set([...keys.map(nameOfKey), ...Object.keys(checkpoint?.counts ?? {})]);
  return gates.filter((gate) => !had.has(nameOfKey(gate)) && nodes?.includes(gate) !== true);
}
