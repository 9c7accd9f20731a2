import { readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { createJiti as CreateJiti } from 'jiti';

import { HitlError, nearNames } from '../core/index.js';
import type { FileContent } from '../files/index.js';
import { importsOwn, moduleClosure, moduleCode } from '../files/index.js';

import { defineInterrupt } from './define-interrupt.js';
import { defineTool } from './define-tool.js';
import type { ModulePlace } from './module-problem.js';
import { importProblem, missingImport, refuseModule } from './module-problem.js';
import { requireApproval } from './require-approval.js';
import { toolSet } from './tool-set.js';
import { isMembers } from './tool-shape.js';
import { wrapTool } from './wrap-tool.js';

export interface LoadModuleOptions {
  /** The base folder for relative paths. It is also passed to a module that exports a function. */
  readonly cwd: string;
  /**
   * Returns the library for modules that import `hitl` without having it installed. Default: the exports that
   * tool definitions need.
   */
  readonly library?: () => Promise<object>;
  /**
   * The files that the user trusts, with their content. A module is not loaded if it or a file that it
   * imports by path differs. Default: every module is loaded.
   */
  readonly agreed?: readonly FileContent[];
}

const TYPESCRIPT = new Set(['.ts', '.mts']);
const JAVASCRIPT = new Set(['.js', '.mjs', '.cjs']);

/** A loaded module. */
export interface LoadedModule {
  /** Absolute path. */
  readonly file: string;
  readonly place: ModulePlace;
  readonly exports: object;
  /** Identifies the code that was loaded: the module and the files that it imports by path. */
  readonly code: string;
}

/**
 * Identifiers of the code of modules that Node has cached. If a file has changed since it was loaded, Node
 * still runs the old code.
 */
const LOADED = new WeakMap<object, string>();

/**
 * Loads a TypeScript or JavaScript module, which may import `hitl` and `zod` without having them installed.
 * Loading runs the module, so ask the user for trust first (G34).
 * @throws HitlError BAD_TOOL_MODULE, BAD_GRAPH for a workflow, BAD_CONFIG for a configuration, with path,
 * problem and hint.
 */
export async function loadModule(
  modulePath: string,
  holds: ModulePlace['holds'],
  options: LoadModuleOptions,
): Promise<LoadedModule> {
  const file = path.resolve(
    options.cwd,
    modulePath.startsWith('file:') ? fileURLToPath(modulePath) : modulePath,
  );
  const place = { label: labelOf(file, options.cwd), holds };
  await checkFile(file, place);
  refuseStrange(file, place, options);
  const code = moduleCode(file);
  const exports = await importModule(file, place, options);
  const known = LOADED.get(exports);
  if (known !== undefined) return { file, place, exports, code: known };
  if (moduleCode(file) !== code)
    refuseModule(place, { what: 'it changed while loading', hint: 'load it again' });
  LOADED.set(exports, code);
  return { file, place, exports, code };
}

/**
 * Compares a module and its imports with the trusted content immediately before it runs, and refuses the
 * module if any file differs.
 */
function refuseStrange(file: string, place: ModulePlace, { agreed }: LoadModuleOptions): void {
  if (agreed === undefined) return;
  const known = new Map(agreed.map((one) => [one.path, one.sha256]));
  const strange = moduleClosure(file).find((one) => known.get(one.path) !== one.sha256);
  if (strange === undefined) return;
  refuseModule(place, {
    what: `${strange.path} has changed since you trusted it; nothing loaded`,
    hint: 'review it, then start again; hitl will ask you to trust it',
  });
}

/** Formats a path for display. It is relative if it is in the working directory. */
function labelOf(file: string, cwd: string): string {
  const relative = path.relative(cwd, file).split(path.sep).join('/');
  return relative.startsWith('../') || path.isAbsolute(relative) ? file : `./${relative}`;
}

/** Hints for a module whose folder is missing, because a session may have been moved without its modules. */
const ELSEWHERE: Readonly<Record<ModulePlace['holds'], string>> = {
  tools: 'specify its new location: --tools <module>',
  'a workflow': 'continue in a checkout that has it at the same path',
  'a configuration': 'specify a file that exists',
};

async function checkFile(file: string, place: ModulePlace): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) {
    const folder = path.dirname(file);
    const names = await readdir(folder).catch(() => undefined);
    if (names === undefined)
      refuseModule(place, { what: `folder ${folder} not found`, hint: ELSEWHERE[place.holds] });
    const near = nearNames(path.basename(file), names).map((name) =>
      labelOf(path.join(folder, name), path.dirname(file)),
    );
    refuseModule(place, {
      what: 'file not found',
      hint: near.length === 0 ? `looked in ${folder}` : `did you mean ${near.join(' or ')}?`,
    });
  }
  const extension = path.extname(file);
  if (!found.isFile()) refuseModule(place, { what: 'it is not a file', hint: 'specify the module itself' });
  if (TYPESCRIPT.has(extension) || JAVASCRIPT.has(extension)) return;
  refuseModule(place, {
    what:
      extension === '' ? 'its name has no extension' : `\`${extension}\` files cannot hold ${place.holds}`,
    hint: `use one of: ${[...TYPESCRIPT, ...JAVASCRIPT].join(', ')}`,
  });
}

async function importModule(file: string, place: ModulePlace, options: LoadModuleOptions): Promise<object> {
  try {
    const loaded: unknown = TYPESCRIPT.has(path.extname(file))
      ? await importWithJiti(file, options)
      : await importJavaScript(file, options);
    return isMembers(loaded) ? loaded : { default: loaded };
  } catch (error) {
    return refuseModule(place, importProblem(error, file));
  }
}

/**
 * Imports a module with Node. Uses jiti if the module imports one of hitl's packages, or if Node cannot
 * locate a syntax error.
 */
async function importJavaScript(file: string, options: LoadModuleOptions): Promise<unknown> {
  try {
    if (importsOwn(file)) return await importWithJiti(file, options); // never a copy that lies in the folder
    return await import(pathToFileURL(file).href);
  } catch (error) {
    const missing = missingImport(error);
    const ours = missing === 'hitl' || missing === 'zod';
    if (ours || error instanceof SyntaxError) return importWithJiti(file, options);
    throw error;
  }
}

async function importWithJiti(file: string, { library }: LoadModuleOptions): Promise<unknown> {
  const createJiti: unknown = ours('jiti');
  if (!isCreateJiti(createJiti))
    throw new HitlError('INTERNAL', 'the installed version of `jiti` is not supported');
  const jiti = createJiti(pathToFileURL(file).href, {
    // The default cache is a folder for temporary files that others can write to.
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    transformOptions: { retainLines: true },
    virtualModules: {
      hitl: library === undefined ? DEFAULT_LIBRARY : await library(),
      ...zodBesideUs(),
    },
  });
  return jiti.import(file);
}

const DEFAULT_LIBRARY = { defineTool, defineInterrupt, requireApproval, wrapTool, toolSet, HitlError };

/**
 * Used instead of `import`, because Node reads a whole CommonJS package for its exports before importing it,
 * and jiti and zod are large.
 */
const ours = createRequire(import.meta.filename);

/**
 * Returns the zod that is installed next to this package, for all modules to share. If there is none, each
 * module uses its own.
 */
function zodBesideUs(): { readonly zod?: unknown } {
  try {
    return { zod: ours('zod') };
  } catch (error) {
    if (missingImport(error) !== 'zod') throw error;
    return {};
  }
}

function isCreateJiti(required: unknown): required is typeof CreateJiti {
  return typeof required === 'function';
}
