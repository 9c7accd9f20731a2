import type { SessionId, SessionStore } from '../src/core/index.js';
import { HitlError, laidOut, operationTree, present, timesOf } from '../src/core/index.js';
import { eventsOf } from '../src/repl/index.js';
import { drawGraph } from '../src/graph/index.js';
import type { DrawOptions } from '../src/graph/index.js';
import type { Io } from './host/index.js';
import { flowFile, loadFlow } from './agent/load-flow.js';
import { trustFlow } from './agent/agreed-modules.js';
import type { PreviewFlags, SessionFlags } from './flags/options.js';
import { modeOf } from './flags/mode.js';
import { openStore } from './store/store.js';
import { isDumb } from './screen/terminal-facts.js';
import { stdoutTable } from './screen/theme.js';
import { rowsWithin } from '../src/render/index.js';

interface GraphFlags extends SessionFlags, PreviewFlags {
  readonly format?: DrawOptions['format'];
  readonly session?: string;
}

/**
 * `hitl graph`: draws a workflow. With `--session`, also shows the progress of a run. Loads the workflow's
 * module, as `run` does.
 */
export async function graph(io: Io, named: string, flags: GraphFlags): Promise<number> {
  const { format = flags.json === true ? 'json' : 'text', session } = flags;
  const flow = await flowFile(io, named);
  const agreed = await trustFlow(io, { ...flags, save: false }, modeOf(io, flags), flow);
  const drawn = await loadFlow(io, { file: flow.file, agreed });
  const store = openStore(io, flags);
  const run =
    session === undefined ? undefined : await runOf(store, await store.resolve(session), drawn.hash);
  const { columns } = stdoutTable(io, flags.color);
  const text = drawGraph(drawn, {
    format,
    ...run,
    ...present({ columns }),
    ...(isDumb(io) && { ascii: true }),
  });
  const drawing = laidOut(text.replace(/\n?$/u, '\n'));
  io.stdout.write(format === 'text' ? rowsWithin(drawing, columns) : drawing);
  return 0;
}

/** @throws HitlError USAGE if the session does not run a workflow, or runs a different one. */
async function runOf(
  store: SessionStore,
  id: SessionId,
  hash: string,
): Promise<Pick<DrawOptions, 'state' | 'tree'>> {
  await using session = await store.open(id, 'read');
  const { graph: frame, resolved } = session.state;
  if (frame?.hash === hash) {
    const times = timesOf(await eventsOf(session));
    return { state: frame, tree: operationTree(frame, { resolved: resolved.toArray(), times }) };
  }
  const what =
    frame === undefined ? 'runs no workflow' : `runs a different workflow or version: ${frame.name}`;
  throw new HitlError('USAGE', `session ${id} ${what}`, {
    hint: 'leave out --session to draw the current version',
  });
}
