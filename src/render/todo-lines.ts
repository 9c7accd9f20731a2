import type { GraphFrame, Shown } from '../core/index.js';
import { activationId, escapeText, pathText, shown } from '../core/index.js';

/**
 * Lists deferred to-dos, including those of nested graphs, one per line, each with its node. The lines are
 * safe for a terminal.
 */
export function todoLines(graph: GraphFrame, path = ''): readonly Shown[] {
  const { todos, current } = graph;
  const placed = (id: string): string => (path === '' ? id : `${path}/${id}`);
  const own = todos.map(
    (todo) => shown`to do: ${escapeText(todo.note)} (${escapeText(pathText(placed(activationId(todo))))})`,
  );
  const inside = [...graph.history, ...(current === undefined ? [] : [current])].flatMap((activation) =>
    [...activation.frames.entries()].flatMap(([branch, { graph: inner }]) => {
      const place = placed(activationId(activation));
      return inner === undefined ? [] : todoLines(inner, branch === '' ? place : `${place}/${branch}`);
    }),
  );
  return [...own, ...inside];
}
