import type { PictureEdge, PictureNode } from './picture.js';

/** Signs of a drawing. */
export interface Signs {
  readonly agent: string;
  readonly tool: string;
  readonly pause: string;
}

const EMOJI: Signs = { agent: '🤖 ', tool: '🔧 ', pause: '⏸' };
const ASCII: Signs = { agent: 'agent: ', tool: 'tool: ', pause: '||' };

/** The signs of a drawing, in Unicode or ASCII. */
export function signsOf(ascii: boolean): Signs {
  return ascii ? ASCII : EMOJI;
}

/** Returns a node's label: its name, kind and stops, then its progress. */
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

/** Empty for one visit. */
export function visitsText(visits: number): string {
  return visits > 1 ? `, ${visits} visits` : '';
}

/** Returns an edge's label; empty if it is always taken. */
export function edgeLabel({ isConditional, isFallback, when, weight }: PictureEdge): string {
  const share = weight === 1 ? '' : `weight ${weight}`;
  const condition = isFallback ? 'else' : isConditional ? (when ?? 'if a function says so') : '';
  return [condition, share].filter((text) => text !== '').join(', ');
}
