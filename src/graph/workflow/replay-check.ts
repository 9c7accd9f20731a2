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

/** The first differing operation. */
export interface ReplayDifference {
  /** The workflow: `deploy@1`, with enclosing nodes. */
  readonly path: NodePath;
  /** The operation: `healthy#2`. */
  readonly operation: string;
  /** The operation in the journal, or in the first of two replays. */
  readonly recorded: string;
  /** The operation in today's code, or in the second replay. */
  readonly now: string;
  /** `replays`: the code matches the journal, but is not deterministic. */
  readonly between: 'journal' | 'replays';
}

/** The result of `replayCheck`. */
export interface ReplayReport {
  /** Number of replayed operations. */
  readonly operations: number;
  /** Absent: the code matches the journal. */
  readonly difference?: ReplayDifference;
}

/**
 * Replays a session with the current code, twice: no step, tool or agent runs, no one is asked, and nothing
 * is stored. Code between operations does run.
 * @throws HitlError BAD_INPUT for a session of another workflow, or one whose code never ran.
 */
export async function replayCheck(
  graph: Graph,
  { state }: { readonly state: RunState },
): Promise<ReplayReport> {
  const { report } = await replayOf(graph, frameOfRun(graph, state));
  if (report !== undefined) return report;
  throw new HitlError('BAD_INPUT', `no code of \`${graph.name}\` has run`, {
    hint: 'a replay is of workflows that are written as functions',
  });
}

/** A graph that code called, and its run. */
export interface CalledRun {
  readonly graph: Graph;
  readonly frame: GraphFrame;
  readonly path: NodePath;
}

/** Replays all code of a graph and its called graphs; no report if no code has run. */
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

/** Results of replaying all code of a run. */
interface Replays {
  /** Absent: no code has run. */
  readonly report: ReplayReport | undefined;
  readonly called: readonly CalledRun[];
  /** Operations that the current code does not reach, by path. */
  readonly notMet: ReadonlyMap<NodePath, readonly string[]>;
}

/** Returns a graph's run in a session. @throws HitlError BAD_INPUT for a session of another graph. */
export function frameOfRun(graph: Graph, { graph: frame }: RunState): GraphFrame {
  if (frame?.name === graph.name) return frame;
  throw new HitlError('BAD_INPUT', `the session has no run of the workflow \`${graph.name}\``, {
    ...(frame !== undefined && { hint: `it is of \`${frame.name}\`` }),
  });
}

interface Place {
  readonly nodes: Readonly<Record<string, NodeDefinition>>;
  readonly frame: GraphFrame;
  readonly path: NodePath;
}

/** A run of a workflow's code in the journal. */
interface Found {
  /** Absent: it is code no more. */
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
    const now = `nothing: \`${current.node}\` is not a workflow as code`;
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

/** An operation started by the code; its key ends the path, before those of inner runs. */
interface Begun {
  readonly what: Inner;
  readonly path: NodePath;
  /** Its run, if it is a graph. */
  readonly frame: GraphFrame | undefined;
}

/**
 * Finds the operation of a graph's code on a path, by replaying the code, the only source of that.
 * `undefined` if the path leads into no code, or the code does not reach it.
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

/** Returns the first operation that only one of two replays reaches. */
function otherThan(first: CodeReplay, second: CodeReplay): DifferenceAt | undefined {
  const keys = new Set([...first.met.keys(), ...second.met.keys()]);
  for (const operation of keys) {
    const [was, is] = [first.met.get(operation), second.met.get(operation)];
    if (was?.digest !== is?.digest)
      return { operation, recorded: was?.words ?? 'nothing', now: is?.words ?? 'nothing' };
  }
  return undefined;
}
