import type { Tool } from '../core/index.js';
import { isHitlError } from '../core/index.js';

import type { LoadedModule, LoadModuleOptions } from './load-module.js';
import { loadModule } from './load-module.js';
import { toolsOf } from './module-exports.js';
import { refuseModule } from './module-problem.js';
import { toolSet } from './tool-set.js';

const MODULE = 'module ';

/** Whether a tool was loaded from a module, that is, whether its body is third-party code. */
export function isFromModule(tool: Pick<Tool, 'origin'> | undefined): boolean {
  return tool?.origin.startsWith(MODULE) === true;
}

/**
 * Loads the tools of a TypeScript or JavaScript module, which may import `hitl` and `zod` without having them
 * installed. Loading runs the module, so ask the user for trust first. The source of a tool is the path of
 * its module.
 * @throws HitlError BAD_TOOL_MODULE with path, problem and hint.
 */
export async function loadTools(modulePath: string, options: LoadModuleOptions): Promise<readonly Tool[]> {
  const loaded = await loadModule(modulePath, 'tools', options);
  const { place, exports, code } = loaded;
  const tools = await readTools(loaded, options);
  if (tools.length > 0) return tools.map((tool) => ({ ...tool, origin: `${MODULE}${place.label}`, code }));
  const names = Object.keys(exports);
  refuseModule(place, {
    what: names.length === 0 ? 'it exports nothing' : `it exports no tool, only ${names.join(', ')}`,
    hint: 'export tools: export const pay = defineTool({ name, description, input }, async (input) => …)',
  });
}

async function readTools(
  { exports, place }: LoadedModule,
  { cwd }: LoadModuleOptions,
): Promise<readonly Tool[]> {
  try {
    return [...toolSet(await toolsOf(exports, { cwd }))];
  } catch (error) {
    const hint = isHitlError(error) ? error.hint : undefined;
    const what = error instanceof Error ? error.message : String(error);
    return refuseModule(place, { what, cause: error, ...(hint !== undefined && { hint }) });
  }
}
