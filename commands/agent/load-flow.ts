import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Session } from '../../src/core/index.js';
import { codeName, digestOf, HitlError, messageOf, present, sha256 } from '../../src/core/index.js';
import type { Graph } from '../../src/graph/index.js';
import type { FileContent } from '../../src/files/index.js';
import { moduleCode } from '../../src/files/index.js';
import { graphFromFile, isGraph, mapTools, withCode } from '../../src/graph/index.js';
import type { CreateModelOptions } from '../../src/models/index.js';
import { modelNamed } from './model.js';
import { loadModule, refuseModule } from '../../src/tools/index.js';
import type { Io } from '../host/index.js';
import { pathHere } from '../host/index.js';
import { partsFile, loadParts } from './load-parts.js';

/** File names to look for in a folder, in this order. */
const FILES = ['flow.ts', 'flow.mts', 'flow.js', 'flow.mjs', 'flow.yaml', 'flow.yml', 'flow.json'];

/** Extensions of workflow data files, which may have a parts module next to them. */
const DATA = new Set(['.yaml', '.yml', '.json']);

const library = (): Promise<object> => import('../../src/index.js');

/** A workflow file, as an absolute path. */
export interface FlowFile {
  readonly file: string;
  /** Whether the user specified the file itself, not only its folder. */
  readonly isNamed: boolean;
}

/** A workflow file and the files that the user trusts. No others are loaded. */
export interface AgreedFlow {
  readonly file: string;
  readonly agreed: readonly FileContent[];
}

/**
 * Returns the workflow file that the user specified, or the `flow` file in a folder that the user specified.
 * @throws HitlError BAD_GRAPH if there is none.
 */
export async function flowFile(io: Io, named: string): Promise<FlowFile> {
  const file = path.resolve(io.cwd, named);
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory() !== true) return { file, isNamed: true }; // whoever loads it says what is wrong with it
  const names = await readdir(file);
  const flow = FILES.find((name) => names.includes(name));
  if (flow !== undefined) return { file: path.join(file, flow), isNamed: false };
  throw new HitlError('BAD_GRAPH', `no workflow found in the folder \`${named}\``, {
    hint: `specify a file, or add one of these: ${FILES.join(', ')}`,
  });
}

/**
 * Returns the workflow file of a session. In another checkout, this is the corresponding file.
 * @throws HitlError USAGE, with a hint, if the session does not have a workflow.
 */
export function flowOfSession(
  { cwd }: Pick<Io, 'cwd'>,
  { id, state: { agent, cwd: began } }: Pick<Session, 'id' | 'state'>,
  hint: string,
): FlowFile {
  if (agent?.flow === undefined) throw new HitlError('USAGE', `session ${id} has no workflow`, { hint });
  return { file: pathHere(agent.flow, { cwd, ...present({ began }) }), isNamed: false };
}

/** Returns the parts module next to a data file. It is loaded even though the user does not specify it. */
export async function partsBeside(file: string): Promise<readonly string[]> {
  if (!DATA.has(path.extname(file))) return [];
  const parts = await partsFile(file);
  return parts === undefined ? [] : [parts];
}

/**
 * Loads a workflow, and adds the identifier of its code to the workflow and its tools. Loading runs its
 * module or its parts module, so ask the user for trust first (G34).
 * @throws HitlError BAD_GRAPH with the file, the problem and a hint.
 */
export async function loadFlow(io: Io, flow: AgreedFlow, access: ModelAccess = {}): Promise<Graph> {
  const { graph, code } = DATA.has(path.extname(flow.file))
    ? await loadGraphFile(io, flow, access)
    : await loadFlowModule(io, flow);
  return { ...mapTools(graph, (tool) => withCode(tool, code)), code };
}

interface LoadedFlow {
  readonly graph: Graph;
  readonly code: string;
}

async function loadFlowModule(io: Io, { file, agreed }: AgreedFlow): Promise<LoadedFlow> {
  const { exports, place, code } = await loadModule(file, 'a workflow', { cwd: io.cwd, library, agreed });
  const members = new Map(Object.entries<unknown>({ ...exports }));
  for (const name of ['default', 'graph', 'flow']) {
    const value = members.get(name);
    if (isGraph(value)) return { graph: value, code };
  }
  const graphs = [...members].filter(([, value]) => isGraph(value));
  const only = graphs.length === 1 ? graphs[0]?.[1] : undefined;
  if (isGraph(only)) return { graph: only, code };
  const names = [...members.keys()].join(', ');
  return refuseModule(place, {
    what:
      graphs.length > 1
        ? `exports several graphs: ${graphs.map(([name]) => name).join(', ')}`
        : names === ''
          ? 'exports nothing'
          : `exports no graph, only ${names}`,
    hint: "export one: export default workflow('publish', async (ctx) => …), or a built graph",
  });
}

/** Server, key and aliases for the models in a graph file. They are the same as for the run. */
type ModelAccess = Pick<CreateModelOptions, 'apiKey' | 'baseUrl' | 'allowHttp' | 'aliases'>;

/** Loads a graph file with its parts. Its models are created in the same way as with `--model`. */
async function loadGraphFile(
  { cwd, clock, random, env }: Io,
  { file, agreed }: AgreedFlow,
  access: ModelAccess,
): Promise<LoadedFlow> {
  const bytes = await readFile(file).catch((cause: unknown) => {
    throw new HitlError('BAD_GRAPH', `cannot read the workflow \`${file}\`: ${messageOf(cause)}`, {
      hint: 'check the path; it is relative to the working directory',
      cause,
    });
  });
  if (agreed.find((one) => one.path === file)?.sha256 !== sha256(bytes))
    throw new HitlError(
      'BAD_GRAPH',
      `the workflow \`${file}\` has changed since you trusted it; nothing loaded`,
      {
        hint: 'review it, then start again',
      },
    );
  const text = bytes.toString('utf8');
  const module = await partsFile(file);
  const code = codeName('module', digestOf([text, module === undefined ? '' : moduleCode(module)]));
  const parts = module === undefined ? {} : await loadParts(module, { cwd, library, agreed });
  const apiKey = env['ANTHROPIC_API_KEY'] ?? env['ANTHROPIC_AUTH_TOKEN'];
  const model = (spec: string) =>
    modelNamed(spec, { clock, random, ...(apiKey !== undefined && { apiKey }), ...access });
  const relative = path.relative(cwd, file);
  const graph = await graphFromFile(
    text,
    { file: relative.startsWith('..') ? file : relative },
    { model, ...parts },
  );
  return { graph, code };
}
