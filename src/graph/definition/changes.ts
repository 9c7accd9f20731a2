import type { GateSide, GraphOutline, OutlineEdge, OutlineNode } from '../../core/index.js';
import { FIRST_VERSION } from '../../core/index.js';

/** A difference between the definition that a session keeps and that of today. */
export interface DefinitionChange {
  readonly change: 'added' | 'removed' | 'changed';
  readonly what: 'version' | 'node' | 'edge' | 'end' | 'gate';
  /** The thing itself: `node legal`, `gate before publish`, `version 2 to 3`; text of the definition. */
  readonly thing: string;
}

type Facts = ReadonlyMap<string, string>;

/** The differences between two outlines, the version first. */
export function outlineChanges(kept: GraphOutline, now: GraphOutline): readonly DefinitionChange[] {
  const [was, is] = [kept.version ?? FIRST_VERSION, now.version ?? FIRST_VERSION];
  const versions: readonly DefinitionChange[] =
    was === is ? [] : [{ change: 'changed', what: 'version', thing: `version ${was} to ${is}` }];
  return [
    ...versions,
    ...changesOf('node', nodesOf(kept), nodesOf(now)),
    ...changesOf('gate', gatesOf(kept), gatesOf(now)),
    ...changesOf('edge', edgesOf(kept), edgesOf(now)),
    ...changesOf('end', endsOf(kept), endsOf(now)),
  ];
}

function changesOf(what: DefinitionChange['what'], kept: Facts, now: Facts): readonly DefinitionChange[] {
  const left = [...kept].flatMap(([thing, fact]): readonly DefinitionChange[] => {
    const is = now.get(thing);
    if (is === fact) return [];
    return is === undefined
      ? [{ change: 'removed', what, thing: withFact(thing, fact) }]
      : [{ change: 'changed', what, thing: `${thing}: ${fact || 'always'} to ${is || 'always'}` }];
  });
  const added = [...now].flatMap(([thing, fact]): readonly DefinitionChange[] =>
    kept.has(thing) ? [] : [{ change: 'added', what, thing: withFact(thing, fact) }],
  );
  return [...left, ...added];
}

function withFact(thing: string, fact: string): string {
  return fact === '' ? thing : `${thing} (${fact})`;
}

function nodesOf({ nodes }: GraphOutline): Facts {
  return new Map(nodes.map(({ name, kind }) => [`node ${name}`, kind]));
}

function gatesOf({ nodes, gates = {} }: GraphOutline): Facts {
  return new Map([
    ...nodes.flatMap((node) => gateFacts(node)),
    ...Object.entries(gates).flatMap(([name, side]) =>
      sidesOf(side).map((one): readonly [string, string] => [`gate ${one} the operation ${name}`, '']),
    ),
  ]);
}

function gateFacts({ name, gate, when }: OutlineNode): readonly (readonly [string, string])[] {
  if (gate === undefined) return [];
  return sidesOf(gate).map((side) => [`gate ${side} ${name}`, when === undefined ? '' : `when ${when}`]);
}

/** The sides at which a gate stops. */
function sidesOf(side: GateSide): readonly ('before' | 'after')[] {
  return side === 'both' ? ['before', 'after'] : [side];
}

function edgesOf({ edges }: GraphOutline): Facts {
  const facts = new Map<string, string>();
  for (const edge of edges) {
    const thing = `edge ${edge.from} → ${edge.to}`;
    // Several edges may lead the same way.
    const count = [...facts.keys()].filter((one) => one === thing || one.startsWith(`${thing} #`)).length;
    facts.set(count === 0 ? thing : `${thing} #${count + 1}`, edgeFact(edge));
  }
  return facts;
}

function edgeFact({ when, priority, weight }: OutlineEdge): string {
  return [
    ...(when === undefined ? [] : [`when ${when}`]),
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...(weight === undefined ? [] : [`weight ${weight}`]),
  ].join(', ');
}

function endsOf({ ends }: GraphOutline): Facts {
  return new Map(ends.map((name) => [`end ${name}`, '']));
}
