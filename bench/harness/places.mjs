import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder of this package. */
export const bench = fileURLToPath(new URL('..', import.meta.url));

/** The package of the other agents for the command line. */
export const agents = path.join(bench, 'agents');

/** The built product; BENCH_DIST names another build, so that two can be compared. */
export const dist = path.resolve(process.env.BENCH_DIST ?? path.join(bench, '..', 'dist'));

/** The program that people start. */
export const program = path.join(dist, 'bin', 'hitl.js');

/** Loads a module of the built product: `lib/index.js`, `sessions/disk/file-system.js`. */
export async function product(file) {
  const module = await import(pathToFileURL(path.join(dist, file)).href);
  // Of CommonJS modules of the program Node does not find every name: those of doors are getters.
  return module.default?.__esModule === true ? module.default : module;
}
