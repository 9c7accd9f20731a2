import {
  activationId,
  activationsOf,
  escapeText,
  laidOut,
  pathText,
  textOf,
  treeRows,
} from '../core/index.js';
import type {
  Activation,
  GraphFrame,
  JsonValue,
  OperationTree,
  RunState,
  Shown,
  TreeNode,
  TreeProgress,
} from '../core/index.js';
import type { Drawing } from './status-line.js';
import type { Theme } from './theme.js';
import type { ToldDecision } from './transcript-calls.js';
import { decisionLines, openLines } from './transcript-calls.js';
import { valueBlock } from './value-block.js';

/** The data needed to show the activations of a graph. */
export interface GraphStory {
  readonly graph: GraphFrame;
  readonly path: string;
  /** All decisions in the session. */
  readonly resolved: readonly ToldDecision[];
  readonly drawing: Drawing;
  /** The graph's operation tree. Absent if it is drawn elsewhere. */
  readonly tree: OperationTree | undefined;
  /** Returns the lines for runs inside a node. `isDrawn` is true if the tree already shows them. */
  readonly inside: (state: RunState, path: string, isDrawn: boolean) => readonly string[];
}

/**
 * Returns one block per activation of a graph, in order of entry, with the runs inside it, its decisions and
 * its output.
 */
export function graphBlocks(story: GraphStory): readonly (readonly string[])[] {
  const { open } = story.graph;
  const blocks = activationsOf(story.graph).map((activation) => activationLines(activation, story));
  return open === undefined ? blocks : [...blocks, openLines(open, story.drawing)];
}

function activationLines(activation: Activation, story: GraphStory): readonly string[] {
  const { drawing, path, inside } = story;
  const { theme } = drawing;
  const id = activationId(activation);
  const place = path === '' ? id : `${path}/${id}`;
  const { status, output, error, guidance } = activation;
  const head = `${theme.strong(escapeText(pathText(place)))} ${theme.dim(STATUS[status])}`;
  const found = story.tree?.of(activation)?.inside ?? [];
  const isCode = activation.operations.size > 0 || found.some(({ kind }) => !NOT_CODE.has(kind));
  const rows = isCode ? found : [];
  const ran = [...activation.frames.entries()].flatMap(([branch, state]) =>
    inside(state, branch === '' ? place : `${place}/${branch}`, isCode),
  );
  const lines = [
    ...treeLines(rows, { theme, columns: drawing.columns - 2 }),
    ...guidance.map((words) => theme.dim(`guidance: ${escapeText(words)}`)),
    ...ran,
    ...decidedAt(activation, story).flatMap((decided) => decisionLines(decided, drawing)),
    ...[activation.open, ...activation.asks.map(({ interrupt, answer }) => (answer ? undefined : interrupt))]
      .filter((open) => open !== undefined)
      .flatMap((open) => openLines(open, drawing)),
    ...(error === undefined ? [] : [theme.failure(`${theme.symbols.failed} ${escapeText(error.message)}`)]),
    ...(output === undefined || isSaid(output.value, activation)
      ? []
      : valueBlock(output.value, theme, drawing.columns - 2)),
  ];
  return [head, ...lines.map((line) => (line === '' ? '' : `  ${line}`))];
}

/**
 * Formats the operations with effects in a run's tree: those that are completed, possibly completed, or about
 * to start.
 */
export function effectTree(roots: readonly TreeNode[], drawing: Drawing): Shown {
  return laidOut(
    treeLines(roots.flatMap(withEffects), drawing)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

function withEffects(node: TreeNode): readonly TreeNode[] {
  const { inside = [], kind, effect, progress } = node;
  const within = inside.flatMap(withEffects);
  const isOwn =
    kind === 'step'
      ? effect !== 'none' && progress !== 'waiting'
      : kind === 'call-of-tool' || kind === 'tool';
  return isOwn || within.length > 0
    ? [{ ...node, ...(node.inside !== undefined && { inside: within }) }]
    : [];
}

/** Formats the operation tree of the code in a node. Completed operations are dim. */
function treeLines(rows: readonly TreeNode[], { theme, columns }: Drawing): readonly string[] {
  const isAscii = theme.symbols.done === 'ok';
  return treeRows(rows, { columns, ascii: isAscii }).map((row) => {
    const { lead, mark, progress, key, times, words } = row;
    const [sign, text] = STYLES[progress];
    const rest = [times, words]
      .filter((part) => part !== '')
      .join('  ')
      .trimEnd();
    return `${theme.dim(lead)}${theme[sign](mark)} ${theme[text](key.trimEnd())}${rest === '' ? '' : `${key.slice(key.trimEnd().length)}  ${theme[text === 'strong' ? 'strong' : 'dim'](rest)}`}`;
  });
}

const STYLES = {
  done: ['success', 'dim'],
  running: ['strong', 'strong'],
  waiting: ['warning', 'strong'],
  'in-doubt': ['warning', 'strong'],
  failed: ['failure', 'dim'],
  skipped: ['dim', 'dim'],
  undone: ['dim', 'dim'],
} as const satisfies Readonly<Record<TreeProgress, readonly (keyof Theme)[]>>;

/** Kinds of rows that a graph node can contain without running code. */
const NOT_CODE: ReadonlySet<TreeNode['kind']> = new Set<TreeNode['kind']>(['node', 'branch', 'call-of-tool']);

/** Whether the agent's last message already shows the output. */
function isSaid(output: JsonValue, { frames }: Activation): boolean {
  const last = frames.get('')?.entries.at(-1)?.message;
  return last?.role === 'model' && textOf(last) === output;
}

/** Returns the decisions on an activation itself, not on anything that ran inside it. */
function decidedAt({ node, visit }: Activation, { resolved, path }: GraphStory): readonly ToldDecision[] {
  return resolved.filter(({ interrupt: { source, path: at } }) => {
    return source.type === 'node' && at === path && source.nodeId === node && source.visit === visit;
  });
}

const STATUS: Readonly<Record<Activation['status'], string>> = {
  entered: 'not started yet',
  started: 'started, not finished',
  waiting: 'waiting for a person',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
  rejected: 'rejected',
  answered: 'result provided',
  undone: 'undone',
};
