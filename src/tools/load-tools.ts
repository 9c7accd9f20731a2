import { readdir, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import type { Tool } from '../core/index.js';
import { HitlError, isHitlError, nearNames } from '../core/index.js';

import { defineInterrupt } from './define-interrupt.js';
import { defineTool } from './define-tool.js';
import { toolsOf } from './module-exports.js';
import { importProblem, missingImport, refuseModule } from './module-problem.js';
import { requireApproval } from './require-approval.js';
import { toolSet } from './tool-set.js';
import { isMembers } from './tool-shape.js';
import { wrapTool } from './wrap-tool.js';

export interface LoadToolsOptions {
  /** What relative paths are relative to; also handed to a module that exports a function. */
  readonly cwd: string;
  /** What a module gets that imports `hitl` without having it installed. Default: what is needed to define tools. */
  readonly library?: () => Promise<object>;
}

const TYPESCRIPT = new Set(['.ts', '.mts']);
const JAVASCRIPT = new Set(['.js', '.mjs', '.cjs']);

/**
 * Loads the tools of a module: TypeScript or JavaScript, which may import `hitl` and `zod` without having them
 * installed. A tool's origin is the path of its module. Runs the module: ask for trust first (G34).
 * @throws HitlError BAD_TOOL_MODULE with the path, what is wrong and what to do.
 */
export async function loadTools(modulePath: string, options: LoadToolsOptions): Promise<readonly Tool[]> {
  const file = path.resolve(
    options.cwd,
    modulePath.startsWith('file:') ? fileURLToPath(modulePath) : modulePath,
  );
  const label = labelOf(file, options.cwd);
  await checkFile(file, label);
  const exports = await importModule(file, label, options);
  const tools = await readTools(exports, label, options);
  if (tools.length > 0) return tools.map((tool) => ({ ...tool, origin: `module ${label}` }));
  const names = Object.keys(exports);
  refuseModule(label, {
    what: names.length === 0 ? 'it exports nothing' : `it exports no tool, only ${names.join(', ')}`,
    hint: 'export tools: export const pay = defineTool({ name, description, input }, async (input) => …)',
  });
}

/** As a person would write it: relative where the module lies below the working directory. */
function labelOf(file: string, cwd: string): string {
  const relative = path.relative(cwd, file).split(path.sep).join('/');
  return relative.startsWith('../') || path.isAbsolute(relative) ? file : `./${relative}`;
}

async function checkFile(file: string, label: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) {
    const folder = path.dirname(file);
    const names = await readdir(folder).catch(() => undefined);
    if (names === undefined) refuseModule(label, { what: `there is no folder ${folder}` });
    const near = nearNames(path.basename(file), names).map((name) =>
      labelOf(path.join(folder, name), path.dirname(file)),
    );
    refuseModule(label, {
      what: 'there is no such file',
      hint: near.length === 0 ? `looked in ${folder}` : `did you mean ${near.join(' or ')}?`,
    });
  }
  const extension = path.extname(file);
  if (!found.isFile()) refuseModule(label, { what: 'it is not a file', hint: 'name the module itself' });
  if (TYPESCRIPT.has(extension) || JAVASCRIPT.has(extension)) return;
  refuseModule(label, {
    what: extension === '' ? 'its name has no extension' : `\`${extension}\` files cannot hold tools`,
    hint: `use one of: ${[...TYPESCRIPT, ...JAVASCRIPT].join(', ')}`,
  });
}

async function importModule(file: string, label: string, options: LoadToolsOptions): Promise<object> {
  try {
    const loaded: unknown = TYPESCRIPT.has(path.extname(file))
      ? await importWithJiti(file, options)
      : await importJavaScript(file, options);
    return isMembers(loaded) ? loaded : { default: loaded };
  } catch (error) {
    return refuseModule(label, importProblem(error, file));
  }
}

/** Node itself, unless it lacks one of our packages, or cannot say where a syntax error is. */
async function importJavaScript(file: string, options: LoadToolsOptions): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (error) {
    const missing = missingImport(error);
    const ours = missing === 'hitl' || missing === 'zod';
    if (ours || error instanceof SyntaxError) return importWithJiti(file, options);
    throw error;
  }
}

async function importWithJiti(file: string, { library }: LoadToolsOptions): Promise<unknown> {
  const { createJiti } = await import('jiti/static');
  const jiti = createJiti(pathToFileURL(file).href, {
    // The default cache is a folder for temporary files that others can write to.
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    transformOptions: { retainLines: true },
    virtualModules: {
      hitl: library === undefined ? DEFAULT_LIBRARY : await library(),
      ...(isInstalled('zod', file) ? {} : { zod: await ourZod() }),
    },
  });
  return jiti.import(file);
}

const DEFAULT_LIBRARY = { defineTool, defineInterrupt, requireApproval, wrapTool, toolSet, HitlError };

function isInstalled(name: string, importer: string): boolean {
  try {
    createRequire(importer).resolve(name);
    return true;
  } catch {
    return false; // Whatever the reason, that module cannot import it.
  }
}

/** The whole package from disk, for which a bundle of this program has no place. */
async function ourZod(): Promise<unknown> {
  const entry = createRequire(import.meta.url).resolve('zod');
  return import(pathToFileURL(entry).href);
}

async function readTools(
  exports: object,
  label: string,
  { cwd }: LoadToolsOptions,
): Promise<readonly Tool[]> {
  try {
    return [...toolSet(await toolsOf(exports, { cwd }))];
  } catch (error) {
    const hint = isHitlError(error) ? error.hint : undefined;
    const what = error instanceof Error ? error.message : String(error);
    return refuseModule(label, { what, cause: error, ...(hint !== undefined && { hint }) });
  }
}
