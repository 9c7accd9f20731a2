import { activationId, activationsOf, escapeText, pathText, textOf } from '../core/index.js';
import type { Activation, GraphFrame, JsonValue, RunState } from '../core/index.js';
import type { Drawing } from './status-line.js';
import type { ToldDecision } from './transcript-calls.js';
import { decisionLines, openLines } from './transcript-calls.js';
import { valueBlock } from './value-block.js';

/** The things that are shown of the activations of a graph. */
export interface GraphStory {
  readonly graph: GraphFrame;
  /** The path where the graph runs. */
  readonly path: string;
  /** Every answer of the session. */
  readonly resolved: readonly ToldDecision[];
  readonly drawing: Drawing;
  /** The lines of what ran inside a node. */
  readonly inside: (state: RunState, path: string) => readonly string[];
}

/** A block for each activation of a graph in the order of their entry: what ran in it, who decided what, its output. */
export function graphBlocks(story: GraphStory): readonly (readonly string[])[] {
  const { gate } = story.graph;
  const blocks = activationsOf(story.graph).map((activation) => activationLines(activation, story));
  return gate === undefined ? blocks : [...blocks, openLines(gate, story.drawing)];
}

function activationLines(activation: Activation, story: GraphStory): readonly string[] {
  const { drawing, path, inside } = story;
  const { theme } = drawing;
  const id = activationId(activation);
  const place = path === '' ? id : `${path}/${id}`;
  const { status, output, error, guidance } = activation;
  const head = `${theme.strong(escapeText(pathText(place)))} ${theme.dim(STATUS[status])}`;
  const ran = [...activation.frames.entries()].flatMap(([branch, state]) =>
    inside(state, branch === '' ? place : `${place}/${branch}`),
  );
  const lines = [
    ...guidance.map((words) => theme.dim(`guidance: ${escapeText(words)}`)),
    ...ran,
    ...decidedAt(activation, story).flatMap((decided) => decisionLines(decided, drawing)),
    ...[activation.gate, ...activation.asks.map(({ interrupt, answer }) => (answer ? undefined : interrupt))]
      .filter((open) => open !== undefined)
      .flatMap((open) => openLines(open, drawing)),
    ...(error === undefined ? [] : [theme.failure(`${theme.symbols.failed} ${escapeText(error.message)}`)]),
    ...(output === undefined || isSaid(output.value, activation)
      ? []
      : valueBlock(output.value, theme, drawing.columns - 2)),
  ];
  return [head, ...lines.map((line) => (line === '' ? '' : `  ${line}`))];
}

/** An agent's last words are its output: they are there already. */
function isSaid(output: JsonValue, { frames }: Activation): boolean {
  const last = frames.get('')?.entries.at(-1)?.message;
  return last?.role === 'model' && textOf(last) === output;
}

/** Lists what people decided at an activation itself, not at what ran inside of it. */
function decidedAt({ node, visit }: Activation, { resolved, path }: GraphStory): readonly ToldDecision[] {
  return resolved.filter(({ interrupt: { source, path: at } }) => {
    return source.type === 'node' && at === path && source.nodeId === node && source.visit === visit;
  });
}

const STATUS: Readonly<Record<Activation['status'], string>> = {
  entered: 'not started yet',
  started: 'started, not finished',
  waiting: 'waits for a person',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
  rejected: 'rejected',
  answered: 'answered in its place',
  undone: 'undone',
};
