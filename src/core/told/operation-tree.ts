import { actorName } from '../data/actor-name.js';
import type { Call, ResolvedInterrupt } from '../state/call.js';
import { activationId } from '../state/frame.js';
import { activationsOf } from '../state/live-path.js';
import type { Interrupt } from '../data/interrupt.js';
import type { OperationRecord } from '../state/operation.js';
import { isInDoubt, operationAsked, isOperationGate, nameOfKey, operationOf } from '../state/operation.js';
import { frameOf } from '../state/evolve-operation.js';
import { openGates } from '../state/operation-gate.js';
import type { Activation, GraphFrame, RunState } from '../state/state.js';
import { isAsking, openInterrupts } from '../state/state.js';
import { isoTime, timeOf } from '../data/duration.js';
import { unescapeText } from '../data/escape.js';
import { doneOf } from '../question/narrow.js';
import type { RunTimes } from './tree-rows.js';
import { folded, placeKey } from './tree-rows.js';
import type { TreeAnswer, TreeNode, TreeProgress, TreeWait } from './tree-node.js';

// Invariants:
// T1 The tree follows from the folded run; events add times and nothing else.
// T2 A row that is a place has the very key that commands take.

/** A workflow run as a tree of its nodes and the operations in their code. */
export interface OperationTree {
  readonly roots: readonly TreeNode[];
  /** Returns the row for an activation, which may be in a nested graph. */
  of(activation: Activation): TreeNode | undefined;
}

/** Information for the tree that the graph does not contain. */
export interface TreeFacts {
  /** All answers in the session. */
  readonly resolved?: Iterable<ResolvedInterrupt>;
  readonly times?: RunTimes;
}

/** Builds the tree of a session's graph. */
export function operationTree(
  graph: GraphFrame,
  { resolved = [], times = new Map() }: TreeFacts = {},
): OperationTree {
  const planter = new Planter(times, resolved);
  const roots = planter.graph(graph, '');
  return { roots, of: (activation) => planter.rows.get(activation) };
}

/** An activation's location. */
interface Place {
  readonly scope: string;
  readonly activation: Activation;
  /** Whether commands can refer to the operations of the activation. */
  readonly isCurrent: boolean;
}

class Planter {
  readonly rows = new Map<Activation, TreeNode>();
  readonly #times: RunTimes;
  /** Answers in order, by the node or operation that the question was about. */
  readonly #answers = new Map<string, ResolvedInterrupt[]>();

  constructor(times: RunTimes, resolved: Iterable<ResolvedInterrupt>) {
    this.#times = times;
    for (const one of resolved) {
      const { source, path } = one.interrupt;
      if (source.type !== 'node') continue;
      const operation = operationAsked(one.interrupt)?.key ?? source.operation;
      const place = placeKey(path, { node: source.nodeId, visit: source.visit }, operation);
      const known = this.#answers.get(place);
      if (known === undefined) this.#answers.set(place, [one]);
      else known.push(one);
    }
  }

  graph(graph: GraphFrame, scope: string): readonly TreeNode[] {
    return activationsOf(graph).map((activation) =>
      this.#activation({ scope, activation, isCurrent: scope === '' && activation === graph.current }),
    );
  }

  #activation(place: Place): TreeNode {
    const { activation, scope } = place;
    const { attempts, effect, error, status } = activation;
    const progress = activationProgress(activation);
    const inside = this.#inside(place);
    const answers = this.#answersAt(placeKey(scope, activation));
    const wait = activation.open === undefined ? undefined : waitOf(activation.open);
    const row: TreeNode = {
      key: activationId(activation),
      ...(scope === '' && status !== 'undone' && { isPlace: true }),
      name: activation.node,
      kind: 'node',
      progress,
      ...(effect !== undefined && { effect }),
      ...this.#timesOf(placeKey(scope, activation)),
      ...(attempts > 1 && activation.failures > 0 && { attempts }),
      ...(answers.length > 0 && { answers }),
      ...(wait !== undefined && { waits: wait }),
      ...(error !== undefined && status === 'failed' && { error: error.message }),
      ...(inside.length > 0 && { inside }),
    };
    this.rows.set(activation, row);
    return row;
  }

  /** Returns the contents of an activation: the operations in its code, and its graphs and agents. */
  #inside(place: Place): readonly TreeNode[] {
    const { activation, scope } = place;
    const { checkpoint, operations, frames } = activation;
    const ofOperations = new Set(operations.entries().map(([key]) => frameOf(key)));
    const path = placeKey(scope, activation);
    const others = frames.entries().flatMap(([branch, state]) => {
      if (ofOperations.has(branch)) return [];
      const rows = this.#frame(state, branch === '' ? path : `${path}/${branch}`);
      if (branch === '') return rows;
      return [{ key: branch, name: branch, kind: 'branch', progress: latest(rows), inside: rows } as const];
    });
    const before = checkpoint === undefined ? [] : [checkpointRow(Object.values(checkpoint.counts))];
    return [...before, ...this.#operations(place), ...folded(others)];
  }

  #frame(state: RunState, scope: string): readonly TreeNode[] {
    if (state.graph !== undefined) return this.graph(state.graph, scope);
    const calls = [
      ...state.entries.toArray().flatMap((entry) => entry.calls ?? []),
      ...(state.open?.calls ?? []),
    ];
    return folded(calls.map(callRow));
  }

  #operations(place: Place): readonly TreeNode[] {
    const { activation } = place;
    const top = new Level('');
    const asked = new Map<string, Interrupt>();
    for (const { interrupt, answer } of activation.asks) {
      const key = operationOf(interrupt);
      if (answer === undefined && key !== undefined) asked.set(key, interrupt);
    }
    for (const [key, record] of activation.operations.entries()) {
      if (record.kind === 'race') top.decide(key, record);
      else top.add(key, this.#operation(place, key, { record, asked: asked.get(key) }));
    }
    for (const key of openGates(activation))
      if (activation.operations.get(key) === undefined)
        top.add(key, this.#operation(place, key, { record: undefined, asked: asked.get(key) }));
    return top.rows();
  }

  #operation(
    { activation, scope, isCurrent }: Place,
    key: string,
    {
      record,
      asked,
    }: { readonly record: OperationRecord | undefined; readonly asked: Interrupt | undefined },
  ): TreeNode {
    const frame = activation.frames.get(frameOf(key));
    const path = `${placeKey(scope, activation)}/${frameOf(key)}`;
    const found = frame === undefined ? [] : this.#frame(frame, path);
    // A called workflow is one node: what it did is what is inside of the call.
    const [only] = found;
    const isFlow = found.length === 1 && only?.kind === 'node' && frame?.graph?.name === only.name;
    const inside = isFlow ? (only.inside ?? []) : record?.kind === 'tool' ? [] : found;
    const answer = activation.asks.find(
      (ask) =>
        ask.answer !== undefined && operationOf(ask.interrupt) === key && !isOperationGate(ask.interrupt),
    );
    const place = placeKey(scope, activation, key);
    const times = this.#timesOf(place, answer?.interrupt.id);
    const wait = asked === undefined ? attemptWait(record) : waitOf(asked);
    const isInside = frame !== undefined && openInterrupts(frame).length > 0;
    const progress = operationProgress(activation, {
      record,
      isAnswered: answer !== undefined,
      waits: wait !== undefined || isInside,
    });
    const answers = this.#answersAt(place).filter(() => asked?.kind !== 'question');
    const failures = record?.status === 'started' ? record.failures : undefined;
    const attempts = Math.max(times.attempts ?? 1, failures === undefined ? 1 : failures + 1);
    const { attempts: _counted, ...taken } = times;
    return {
      key,
      ...(isCurrent && record !== undefined && { isPlace: true }),
      name: nameOfKey(key),
      kind: record?.kind ?? 'step',
      progress,
      ...(record?.title !== undefined && { title: unescapeText(record.title) }),
      ...(record !== undefined && { effect: record.effect }),
      ...taken,
      ...(attempts > 1 && { attempts }),
      ...(answers.length > 0 && { answers }),
      ...(wait !== undefined && progress === 'waiting' && { waits: wait }),
      ...(record?.status === 'failed' && { error: record.error.message }),
      ...(inside.length > 0 && { inside }),
    };
  }

  /** @param answered id of the question whose answer ended the operation */
  #timesOf(place: string, answered?: string): Pick<TreeNode, 'began' | 'ended' | 'attempts'> {
    const times = this.#times.get(place);
    if (times === undefined) return {};
    const { began, ended = this.#resolvedAt(place, answered), attempts } = times;
    return {
      began,
      ...(ended !== undefined && { ended }),
      ...(answered === undefined && attempts > 1 && { attempts }),
    };
  }

  #resolvedAt(place: string, id: string | undefined): string | undefined {
    return this.#answers.get(place)?.findLast(({ interrupt }) => interrupt.id === id)?.resolvedAt;
  }

  /** Returns the latest answer to each kind of question at a location, excluding timeouts. */
  #answersAt(place: string): readonly TreeAnswer[] {
    const last = new Map(this.#answers.get(place)?.map((one) => [one.interrupt.kind, one]));
    return [...last.values()].flatMap(({ interrupt, resolution, by }) =>
      'type' in by && by.type === 'clock'
        ? []
        : [{ verb: doneOf(interrupt, resolution).verb, by: actorName(by) }],
    );
  }
}

/** The operations of a branch, or of the code outside all branches, with the branches that they started. */
class Level {
  readonly #path: string;
  readonly #rows: (TreeNode | Level)[] = [];
  readonly #levels = new Map<string, Level>();
  #decided: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  add(key: string, row: TreeNode): void {
    this.#at(key).#rows.push(row);
  }

  /** Records the branch that decided a group of branches. */
  decide(key: string, record: OperationRecord): void {
    const name = key.slice(key.lastIndexOf('/') + 1).replace(/#1$/u, '');
    const branch =
      record.status === 'settled' && typeof record.output === 'string' ? record.output : undefined;
    this.#at(key).#level(name).#decided = branch;
  }

  /** Returns the level that a key belongs to. */
  #at(key: string): Level {
    return key
      .split('/')
      .slice(0, -1)
      .reduce<Level>((level, name) => level.#level(name), this);
  }

  #level(name: string): Level {
    const known = this.#levels.get(name);
    if (known !== undefined) return known;
    const level = new Level(this.#path === '' ? name : `${this.#path}/${name}`);
    this.#levels.set(name, level);
    this.#rows.push(level);
    return level;
  }

  rows(depth = 0): readonly TreeNode[] {
    return folded(this.#rows.flatMap((row) => (row instanceof Level ? row.#row(depth) : [row])));
  }

  /**
   * Returns the row for a group of branches or for one branch. A branch with a single operation is shown as
   * that operation.
   */
  #row(depth: number): readonly TreeNode[] {
    const inside = this.rows(depth + 1);
    const kind = depth % 2 === 0 ? 'branches' : 'branch';
    const [only] = inside;
    if (kind === 'branch' && inside.length === 1 && only !== undefined) return [only];
    const name = this.#path.slice(this.#path.lastIndexOf('/') + 1);
    const progress = kind === 'branches' ? together(inside) : latest(inside);
    const decided = this.#decided;
    return [{ key: this.#path, name, kind, progress, ...(decided !== undefined && { decided }), inside }];
  }
}

const OPEN: readonly TreeProgress[] = ['in-doubt', 'waiting', 'running'];

/** Returns the progress of a branch: the progress of its open item, or of its latest item if none is open. */
function latest(rows: readonly TreeNode[]): TreeProgress {
  return OPEN.find((one) => rows.some(({ progress }) => progress === one)) ?? rows.at(-1)?.progress ?? 'done';
}

/**
 * Returns the progress of a group: the progress of its open item, if there is one. A group is treated as
 * failed only if all its branches failed.
 */
function together(rows: readonly TreeNode[]): TreeProgress {
  const open = OPEN.find((one) => rows.some(({ progress }) => progress === one));
  return open ?? (rows.every(({ progress }) => progress === 'failed') ? 'failed' : 'done');
}

function checkpointRow(counts: readonly number[]): TreeNode {
  const times = counts.reduce((sum, count) => sum + count, 0);
  return { key: 'checkpoint', name: 'checkpoint', kind: 'checkpoint', progress: 'done', times };
}

function callRow({ request, state, attempts }: Call): TreeNode {
  const title = state.status === 'started' ? state.title : undefined;
  return {
    key: request.name,
    name: request.name,
    kind: 'call-of-tool',
    progress: callProgress(state),
    ...(title !== undefined && { title }),
    ...(state.status === 'interrupted' && { waits: waitOf(state.interrupt) }),
    ...(state.status === 'settled' && state.outcome.type === 'error' && { error: state.outcome.message }),
    ...(attempts > 1 && { attempts }),
  };
}

function callProgress(state: Call['state']): TreeProgress {
  switch (state.status) {
    case 'ready':
    case 'started':
      return 'running';
    case 'interrupted':
      return state.interrupt.kind === 'in-doubt' ? 'in-doubt' : 'waiting';
    case 'settled':
      return state.outcome.type === 'error' ? 'failed' : 'done';
  }
}

function operationProgress(
  { open }: Activation,
  {
    record,
    isAnswered,
    waits,
  }: { readonly record: OperationRecord | undefined; readonly isAnswered: boolean; readonly waits: boolean },
): TreeProgress {
  if (record?.status === 'settled') return 'done';
  if (record?.status === 'failed') return record.error.code === 'ABORTED' ? 'skipped' : 'failed';
  if (waits) return 'waiting';
  if (isAnswered) return 'done';
  // Where somebody is asked about a doubt nothing runs: what began and may not begin twice is in doubt, all of it.
  return open?.kind === 'in-doubt' && record !== undefined && isInDoubt(record) ? 'in-doubt' : 'running';
}

/** Returns a node's progress. */
export function activationProgress(activation: Activation): TreeProgress {
  const { status, open } = activation;
  if (status === 'undone') return 'undone';
  if (open?.kind === 'in-doubt') return 'in-doubt';
  if (isAsking(activation)) return 'waiting';
  switch (status) {
    case 'entered':
    case 'started':
    case 'waiting':
    case 'answered':
      return 'running';
    case 'rejected':
    case 'skipped':
      return 'skipped';
    case 'done':
    case 'failed':
      return status;
  }
}

function waitOf({ id, kind, source, expiresAt, onTimeout }: Interrupt): TreeWait {
  const isTimer =
    kind === 'question' &&
    expiresAt !== undefined &&
    onTimeout?.action === 'respond' &&
    onTimeout.output === 'go on';
  const event = source.type === 'node' ? source.event : undefined;
  const what = kind === 'gate' ? 'gate' : event !== undefined ? 'event' : isTimer ? 'time' : 'answer';
  return {
    for: what,
    interrupt: id,
    ...(event !== undefined && { event }),
    ...(expiresAt !== undefined && { until: expiresAt }),
  };
}

/** Returns the wait before the next attempt of a failed step, if the step will be retried. */
function attemptWait(record: OperationRecord | undefined): TreeWait | undefined {
  return record?.status === 'started' && record.at !== undefined
    ? { for: 'attempt', until: isoTime(timeOf(record.at)) }
    : undefined;
}
