import type { Actor, GraphFrame, NodePath, RunState, SessionEvent } from '../core/index.js';
import { activationId, digestOf, FIRST_VERSION, present, ROOT_PATH } from '../core/index.js';
import { singleNode } from './definition/define-graph.js';
import type { DefinitionChange } from './definition/acceptance.js';
import { acceptance, outlineChanges } from './definition/acceptance.js';
import { migratedEvent } from './definition/migrated-event.js';
import type { Graph } from './definition/graph-definition.js';
import { innerNodes } from './definition/inner-nodes.js';
import { joinPaths } from './run/graph-loop.js';
import type { ReplayReport } from './workflow/replay-check.js';
import { frameOfRun, replayOf } from './workflow/replay-check.js';

/** A part of a run that continues with another definition. */
export interface MovedPart {
  /** `''` for the run itself; otherwise the location of the part, such as `outer@1/in@1`. */
  readonly path: NodePath;
  readonly name: string;
  /** The versions before and after. */
  readonly from: number;
  readonly to: number;
  readonly changes: readonly DefinitionChange[];
  /** Journaled operations that the current code no longer reaches and that may be omitted. */
  readonly passed?: readonly string[];
}

/** The migration of a run to the current definition, as shown for confirmation. */
export interface Migration {
  /** The parts of the run that change; may be empty. */
  readonly parts: readonly MovedPart[];
  /** The replay with the current code; absent if no code has run. */
  readonly replay?: ReplayReport;
  /** The reason that the run cannot be migrated; absent if it can. */
  readonly problem?: string;
  /** Identifies this migration and the state it applies to. A confirmation is valid only for this plan. */
  readonly plan: string;
}

interface Part {
  readonly graph: Graph;
  readonly frame: GraphFrame;
  readonly path: NodePath;
  readonly passed?: readonly string[];
}

/**
 * Computes a run's migration to the current definition. Replays the workflow code without starting any
 * operation, and does not change the session.
 * @throws HitlError BAD_INPUT if the session belongs to another workflow
 */
export async function migrationOf(graph: Graph, { state }: { readonly state: RunState }): Promise<Migration> {
  const { parts, report } = await movedParts(graph, state);
  const moved = parts.map(partOf);
  const problem = parts
    .map(({ graph: now, frame }) => problemOf(now, frame))
    .find((one) => one !== undefined);
  const shown = {
    parts: moved.map((part) => ({ ...part, changes: part.changes.map((one) => ({ ...one })) })),
    ...(report !== undefined && {
      replay: {
        operations: report.operations,
        ...(report.difference !== undefined && { difference: { ...report.difference } }),
      },
    }),
  };
  const place = parts.map(({ graph: now, frame }) => [frame.hash, now.hash, frame.iterations]);
  return {
    parts: moved,
    ...(report !== undefined && { replay: report }),
    ...(problem !== undefined && { problem }),
    plan: digestOf([shown, place, state.interruptCount, state.resolved.length]).slice(0, 12),
  };
}

/**
 * Returns the events that migrate a run, recorded for the person who confirmed the result of `migrationOf`.
 */
export async function migrationEvents(
  graph: Graph,
  { state }: { readonly state: RunState },
  by: Actor,
): Promise<readonly SessionEvent[]> {
  const { parts } = await movedParts(graph, state);
  return parts.flatMap(({ graph: now, frame, path, passed }) => {
    const { outline } = now;
    if (outline === undefined) return [];
    const event = { ...migratedEvent(frame, now, { outline, by }), ...present({ passed }) };
    return [path === ROOT_PATH ? event : { ...event, scope: path }];
  });
}

/** Returns the active parts of a run whose definition or code has changed. */
async function movedParts(
  graph: Graph,
  state: RunState,
): Promise<{ readonly parts: readonly Part[]; readonly report: ReplayReport | undefined }> {
  const frame = frameOfRun(graph, state);
  const { report, called, notMet } = await replayOf(graph, frame);
  const all = [
    ...partsOf({ graph, frame, path: ROOT_PATH }),
    ...called.flatMap((one) => [...partsOf(one)]),
  ].map((part): Part => {
    const { current } = part.frame;
    const passed = current && notMet.get(joinPaths(part.path, activationId(current)));
    return { ...part, ...present({ passed }) };
  });
  return {
    parts: all.filter((part) => part.passed !== undefined || isMoved(part.frame, part.graph)),
    report,
  };
}

function isMoved(frame: GraphFrame, graph: Graph): boolean {
  const isOtherVersion =
    (frame.outline?.version ?? FIRST_VERSION) !== (graph.outline?.version ?? FIRST_VERSION);
  return isOtherVersion || acceptance(frame, graph).type !== 'same';
}

/** Yields a graph, followed by the graphs inside its current node. */
function* partsOf(part: Part): Generator<Part> {
  yield part;
  const { graph, frame, path: around } = part;
  const { current } = frame;
  const node = current && graph.nodes[current.node];
  if (current === undefined || node === undefined) return;
  const path = joinPaths(around, activationId(current));
  for (const [key, { graph: inside }] of current.frames.entries()) {
    if (inside === undefined) continue;
    if (node.kind === 'subgraph')
      yield* partsOf({ graph: node.graph, frame: inside, path: joinPaths(path, key) });
    const branch = innerNodes(node).find(([name]) => name === inside.start);
    if (branch === undefined || node.kind === 'subgraph') continue;
    const [name, member] = branch;
    yield* partsOf({
      graph: singleNode(name, member, graph.reducers),
      frame: inside,
      path: joinPaths(path, key),
    });
  }
}

function partOf({ graph, frame, path, passed }: Part): MovedPart {
  const { outline: kept } = frame;
  const { outline: now } = graph;
  return {
    path,
    name: graph.name,
    from: kept?.version ?? FIRST_VERSION,
    to: now?.version ?? FIRST_VERSION,
    changes: kept === undefined || now === undefined ? [] : outlineChanges(kept, now),
    ...present({ passed }),
  };
}

function problemOf(graph: Graph, { current }: GraphFrame): string | undefined {
  if (graph.outline === undefined)
    return `the branch \`${graph.name}\` runs a different kind of node: go back to an earlier step`;
  if (current === undefined || Object.hasOwn(graph.nodes, current.node)) return undefined;
  return `the run is at \`${current.node}\`, which is not in the definition: go back to an earlier step`;
}
