import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { HitlError } from '../src/core/index.js';
import type { Graph } from '../src/graph/index.js';
import { isGraph } from '../src/graph/index.js';
import { loadModule, refuseModule } from '../src/tools/index.js';
import type { Io } from './io.js';

/** What a folder is searched for, in this order. */
const FILES = ['flow.ts', 'flow.mts', 'flow.js', 'flow.mjs'];

/**
 * The file of a workflow that a person named: itself, or in a folder its `flow` file.
 * @throws HitlError BAD_GRAPH where there is none.
 */
export async function flowFile(io: Io, named: string): Promise<string> {
  const file = path.resolve(io.cwd, named);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory() !== true) return file; // whoever loads it says what is wrong with it
  const names = await readdir(file);
  const flow = FILES.find((name) => names.includes(name));
  if (flow !== undefined) return path.join(file, flow);
  throw new HitlError('BAD_GRAPH', `there is no workflow in the folder \`${named}\``, {
    hint: `name a file, or put one of these there: ${FILES.join(', ')}`,
  });
}

/**
 * Loads a workflow. Runs its module: ask for trust first (G34).
 * @throws HitlError BAD_GRAPH with the file, what is wrong and what to do.
 */
export async function loadFlow(io: Io, file: string): Promise<Graph> {
  const library = (): Promise<object> => import('../src/index.js');
  const { exports, place } = await loadModule(file, 'a workflow', { cwd: io.cwd, library });
  const members = new Map(Object.entries<unknown>({ ...exports }));
  for (const name of ['default', 'graph', 'flow']) {
    const value = members.get(name);
    if (isGraph(value)) return value;
  }
  const graphs = [...members].filter(([, value]) => isGraph(value));
  const only = graphs.length === 1 ? graphs[0]?.[1] : undefined;
  if (isGraph(only)) return only;
  const names = [...members.keys()].join(', ');
  return refuseModule(place, {
    what:
      graphs.length > 1
        ? `it exports several graphs: ${graphs.map(([name]) => name).join(', ')}`
        : names === ''
          ? 'it exports nothing'
          : `it exports no graph, only ${names}`,
    hint: "export one: export default graph('publish').fn(…).edge(…).build()",
  });
}
