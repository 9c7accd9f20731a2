import type { PictureEdge, PictureNode } from './picture.js';

/** The symbols used in a drawing. */
export interface Signs {
  readonly agent: string;
  readonly tool: string;
  readonly pause: string;
}

const EMOJI: Signs = { agent: '🤖 ', tool: '🔧 ', pause: '⏸' };
const ASCII: Signs = { agent: 'agent: ', tool: 'tool: ', pause: '||' };

/** Returns the symbols for a drawing, in Unicode or ASCII. */
export function signsOf(ascii: boolean): Signs {
  return ascii ? ASCII : EMOJI;
}

/**
 * Returns the lines of a node's label: its name and kind with marks for its gates, then its operation gates
 * and progress.
 */
export function nodeLabel(node: PictureNode, signs: Signs): readonly string[] {
  const { before, after, happened, operations } = node;
  const name = `${before ? `${signs.pause} ` : ''}${titleOf(node, signs)}${after ? ` ${signs.pause}` : ''}`;
  const gates = operations.length === 0 ? [] : [`${signs.pause} ${operations.join(' ')}`];
  return happened === undefined
    ? [name, ...gates]
    : [name, ...gates, `${happened.progress}${visitsText(happened.visits)}`];
}

function titleOf({ kind, name, tools }: PictureNode, signs: Signs): string {
  switch (kind) {
    case 'agent':
      return `${signs.agent}${name}`;
    case 'tool': {
      const [tool] = tools;
      return `${signs.tool}${name}${tool === undefined || tool.name === name ? '' : `: ${tool.name}`}`;
    }
    case 'choose':
      return `${name} (dynamic)`;
    case 'map':
    case 'group':
      return `${name} (parallel)`;
    case 'subgraph':
      return `${name} (graph)`;
    case 'function':
    case 'human':
    case 'workflow':
      return name;
  }
}

/** Returns the number of visits as text; empty for a single visit. */
export function visitsText(visits: number): string {
  return visits > 1 ? `, ${visits} visits` : '';
}

/** Returns an edge's label; empty for an edge that is always taken. */
export function edgeLabel({ isConditional, isFallback, when, weight }: PictureEdge): string {
  const share = weight === 1 ? '' : `weight ${weight}`;
  const condition = isFallback ? 'else' : isConditional ? (when ?? 'if a function returns true') : '';
  return [condition, share].filter((text) => text !== '').join(', ');
}
