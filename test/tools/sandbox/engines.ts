import { bubblewrap } from '../../../src/tools/sandbox/bubblewrap.js';
import { works } from '../../../src/tools/sandbox/detect.js';
import type { Engine } from '../../../src/tools/sandbox/engine.js';
import { namespaces } from '../../../src/tools/sandbox/namespaces.js';

interface Tried {
  readonly name: string;
  readonly engine: Engine | undefined;
  /** Why there is none. */
  readonly why: string;
}

async function tried(name: string, made: Promise<Engine | undefined>): Promise<Tried> {
  const engine = await made;
  if (engine !== undefined && (await works(engine))) return { name, engine, why: '' };
  const why = engine === undefined ? 'is not installed here' : 'is not let make namespaces here';
  process.stderr.write(`skipped: ${name} ${why}\n`);
  return { name, engine: undefined, why: `${name} ${why}` };
}

/** Every engine that there is; tests of one that does not work here are skipped, and say so. */
export const engines: readonly Tried[] = [
  await tried('bwrap', bubblewrap('strict')),
  await tried('plain bwrap', bubblewrap('plain')),
  await tried('unshare', namespaces()),
];
