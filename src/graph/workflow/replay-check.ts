import type { Activation, GraphFrame, NodePath, RunState } from '../../core/index.js';
import {
  activationId,
  frameOf,
  HitlError,
  livePath,
  present,
  ROOT_PATH,
  stateBefore,
} from '../../core/index.js';
import type { Graph, NodeDefinition, WorkflowNode } from '../definition/graph-definition.js';
import { Stop } from '../../engine/index.js';
import { innerNodes } from '../definition/inner-nodes.js';
import { joinPaths } from '../run/graph-loop.js';
import type { DifferenceAt } from './code-replay.js';
import { CodeReplay } from './code-replay.js';
import { KeyScope } from './journaled.js';
import { operationWords } from './difference.js';
import type { Inner } from './replayed-operations.js';
import { ReplayedOperations } from './replayed-operations.js';
import { inputOf } from './workflow-node.js';

/** The first difference that a replay found. */
export interface ReplayDifference {
  /** The path of the workflow, such as `deploy@1`, including any enclosing nodes. */
  readonly path: NodePath;
  /** The operation: `healthy#2`. */
  readonly operation: string;
  /** The operation in the journal, or in the first of the two replays. */
  readonly recorded: string;
  /** The operation in the current code, or in the second replay. */
  readonly now: string;
  /**
   * The comparison that found the difference. `replays` means that the code matches the journal but is not
   * deterministic.
   */
  readonly between: 'journal' | 'replays';
}

/** The result of `replayCheck`. */
export interface ReplayReport {
  /** The number of replayed operations. */
  readonly operations: number;
  /** Absent if the code matches the journal. */
  readonly difference?: ReplayDifference;
}

/**
 * Replays a session twice with the current code. Does not run steps, tools or agents, ask anyone, or store
 * anything. Code between the operations does run.
 * @throws HitlError BAD_INPUT if the session belongs to another workflow, or its code never ran.
 */
export async function replayCheck(
  graph: Graph,
  { state }: { readonly state: RunState },
): Promise<ReplayReport> {
  const { report } = await replayOf(graph, frameOfRun(graph, state));
  if (report !== undefined) return report;
  throw new HitlError('BAD_INPUT', `the code of \`${graph.name}\` has not run yet`, {
    hint: 'replay only applies to workflows written as functions',
  });
}

/** A graph called by code, and its run. */
export interface CalledRun {
  readonly graph: Graph;
  readonly frame: GraphFrame;
  readonly path: NodePath;
}

/** Replays all code in a graph and in the graphs that it called. The report is absent if no code has run. */
export async function replayOf(graph: Graph, frame: GraphFrame): Promise<Replays> {
  let operations = 0;
  let difference: ReplayDifference | undefined;
  const called: CalledRun[] = [];
  const notMet = new Map<NodePath, readonly string[]>();
  const found: Found[] = [...codeOf({ nodes: graph.nodes, frame, path: ROOT_PATH })];
  if (found.length === 0) return { report: undefined, called, notMet };
  const goInto = (one: CalledRun): void => {
    called.push(one);
    found.push(...codeOf({ nodes: one.graph.nodes, frame: one.frame, path: one.path }));
  };
  // What one of them finds inside comes behind it, and has its turn.
  for (const one of found) {
    if (difference === undefined) operations += one.current.operations.size;
    const replay = await replayed(one, goInto);
    difference ??= replay.difference;
    if (replay.notMet.length > 0) notMet.set(one.path, replay.notMet);
  }
  return { report: { operations, ...present({ difference }) }, called, notMet };
}

/** The results of replaying all code in a run. */
interface Replays {
  /** Absent if no code has run. */
  readonly report: ReplayReport | undefined;
  readonly called: readonly CalledRun[];
  /** Operations that the current code does not reach, by path. */
  readonly notMet: ReadonlyMap<NodePath, readonly string[]>;
}

/**
 * Returns a graph's run in a session. @throws HitlError BAD_INPUT if the session belongs to another graph.
 */
export function frameOfRun(graph: Graph, { graph: frame }: RunState): GraphFrame {
  if (frame?.name === graph.name) return frame;
  throw new HitlError('BAD_INPUT', `the session does not belong to workflow \`${graph.name}\``, {
    ...(frame !== undefined && { hint: `the session belongs to \`${frame.name}\`` }),
  });
}

interface Place {
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  readonly frame: GraphFrame;
  readonly path: NodePath;
}

/** A journaled run of a workflow's code. */
interface Found {
  /** Absent if the node is no longer a workflow as code. */
  readonly node: WorkflowNode | undefined;
  readonly frame: GraphFrame;
  readonly current: Activation;
  readonly path: NodePath;
}

function* codeOf({ nodes, frame, path: around }: Place): Generator<Found> {
  for (const current of livePath(frame)) {
    const node = nodes[current.node];
    const path = joinPaths(around, activationId(current));
    const wasCode = current.operations.entries().some(([, { kind }]) => kind !== undefined);
    if (node?.kind === 'workflow') yield { node, frame, current, path };
    else if (wasCode) yield { node: undefined, frame, current, path };
    if (node === undefined || node.kind === 'workflow') continue;
    const inside = Object.fromEntries(innerNodes(node));
    for (const [key, { graph }] of current.frames.entries())
      if (graph !== undefined) yield* codeOf({ nodes: inside, frame: graph, path: joinPaths(path, key) });
  }
}

async function replayed(
  one: Found,
  goInto: (inner: CalledRun) => void,
): Promise<{ readonly difference: ReplayDifference | undefined; readonly notMet: readonly string[] }> {
  const { node, path, current } = one;
  if (node === undefined) {
    const [[operation, record] = ['', {}]] = current.operations.entries();
    const now = `nothing: \`${current.node}\` is not a workflow written as code`;
    const recorded = operationWords(record);
    return { difference: { path, operation, recorded, now, between: 'journal' }, notMet: [] };
  }
  const called = new Map<string, Inner>();
  const first = await replayOnce({ ...one, node }, called);
  const { notMet } = first.replay;
  if (first.difference !== undefined)
    return { difference: { path, ...first.difference, between: 'journal' }, notMet };
  const second = await replayOnce({ ...one, node }, called);
  const unsteady = second.difference ?? otherThan(first.replay, second.replay);
  if (unsteady !== undefined) return { difference: { path, ...unsteady, between: 'replays' }, notMet: [] };
  for (const [key, what] of called) {
    const frame = current.frames.get(frameOf(key))?.graph;
    const inside = joinPaths(path, frameOf(key));
    if (what.kind === 'graph' && frame !== undefined) goInto({ graph: what.graph, frame, path: inside });
  }
  return { difference: undefined, notMet };
}

async function replayOnce(
  { node, frame, current, path }: Found & { readonly node: WorkflowNode },
  called: Map<string, Inner>,
): Promise<{ readonly replay: CodeReplay; readonly difference: DifferenceAt | undefined }> {
  const replay = new CodeReplay(current);
  const operations = new ReplayedOperations(replay, {
    path,
    scope: KeyScope.top(new Stop(), current.checkpoint?.counts),
    called: (key, what) => void called.set(key, what),
  });
  const input = inputOf(current, stateBefore(frame, current));
  return { replay, difference: await replay.run(() => node.code(operations, input)) };
}

/**
 * An operation that the code started. The path ends with the operation's key and does not include the runs
 * inside it.
 */
interface Begun {
  readonly what: Inner;
  readonly path: NodePath;
  /** The operation's run, if it runs a graph. */
  readonly frame: GraphFrame | undefined;
}

/**
 * Finds the operation on a path that was started by code in a graph. Replays the code, because this
 * information is not stored. Returns `undefined` if the path does not lead into code, or if the code does not
 * reach the operation.
 */
export async function begunAt(graph: Graph, frame: GraphFrame, path: NodePath): Promise<Begun | undefined> {
  for (const one of codeOf({ nodes: graph.nodes, frame, path: ROOT_PATH })) {
    const { node, current } = one;
    if (node === undefined || !path.startsWith(`${one.path}/`)) continue;
    const called = new Map<string, Inner>();
    await replayOnce({ ...one, node }, called);
    for (const [key, what] of called) {
      const at = joinPaths(one.path, frameOf(key));
      if (path === at || path.startsWith(`${at}/`))
        return { what, path: at, frame: current.frames.get(frameOf(key))?.graph };
    }
  }
  return undefined;
}

/** Returns the first operation that only one of two replays reached, or that differs between them. */
function otherThan(first: CodeReplay, second: CodeReplay): DifferenceAt | undefined {
  const keys = new Set([...first.met.keys(), ...second.met.keys()]);
  for (const operation of keys) {
    const [was, is] = [first.met.get(operation), second.met.get(operation)];
    if (was?.digest !== is?.digest)
      return { operation, recorded: was?.words ?? 'nothing', now: is?.words ?? 'nothing' };
  }
  return undefined;
}
