import { errnoOf, HitlError, isHitlError, messageOf, present } from '../core/index.js';

/** A problem with a module, to be formatted as an error. */
export interface ModuleProblem {
  readonly what: string;
  readonly hint?: string;
  readonly cause?: unknown;
}

/** The path of a module, and what the module is loaded for. */
export interface ModulePlace {
  /** The path as the user entered it. */
  readonly label: string;
  readonly holds: 'tools' | 'a workflow' | 'a configuration';
}

const CODES = {
  tools: 'BAD_TOOL_MODULE',
  'a workflow': 'BAD_GRAPH',
  'a configuration': 'BAD_CONFIG',
} as const;

/** @throws HitlError always: BAD_TOOL_MODULE, BAD_GRAPH or BAD_CONFIG */
export function refuseModule({ label, holds }: ModulePlace, { what, hint, cause }: ModuleProblem): never {
  throw new HitlError(CODES[holds], `cannot load ${holds} from \`${label}\`: ${what}`, {
    ...present({ hint, cause }),
    detail: { module: label },
  });
}

/**
 * Returns the problem that made the import of `file` fail: a syntax error, a missing import, or an error in
 * its own code.
 */
export function importProblem(error: unknown, file: string): ModuleProblem {
  return syntaxProblem(error, file) ?? missingProblem(error) ?? runProblem(error, file);
}

/**
 * Returns the problem if an error is a syntax error. Node and jiti report syntax errors differently, and only
 * jiti includes the location.
 */
function syntaxProblem(error: unknown, file: string): ModuleProblem | undefined {
  const message = messageOf(error);
  const parse = /^ParseError: (?<what>.*?)\s*\n\s*(?<place>.+?):(?<line>\d+):(?<column>\d+)\s*$/s.exec(
    message,
  )?.groups;
  if (parse !== undefined) {
    const place = parse['place'] === file ? '' : ` of ${parse['place'] ?? ''}`;
    const what = `syntax error on line ${parse['line'] ?? ''}${place}: ${(parse['what'] ?? '').trim()}`;
    return { what: `${what} (column ${parse['column'] ?? ''})`, cause: error };
  }
  if (!(error instanceof SyntaxError)) return undefined;
  const missing = /does not provide an export named '([^']+)'/.exec(message);
  if (missing !== null) return { what: message, hint: 'check the spelling of the import', cause: error };
  return { what: `syntax error: ${message}`, cause: error };
}

/** Returns the name of a missing package or file, or `undefined` for any other error. */
export function missingImport(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(errnoOf(error) ?? '')) return undefined;
  return /Cannot find (?:module|package) '([^']+)'/.exec(error.message)?.[1];
}

function missingProblem(error: unknown): ModuleProblem | undefined {
  const missing = missingImport(error);
  if (missing === undefined) return undefined;
  if (/^[./]|^file:/.test(missing)) {
    return {
      what: `it imports \`${missing}\`, which does not exist`,
      hint: 'check the path of that import',
      cause: error,
    };
  }
  const name = missing
    .split('/')
    .slice(0, missing.startsWith('@') ? 2 : 1)
    .join('/');
  return {
    what: `it imports \`${missing}\`, which is not installed`,
    hint: `in the module’s folder: npm install ${name}`,
    cause: error,
  };
}

function runProblem(error: unknown, file: string): ModuleProblem {
  const place = error instanceof Error ? placeIn(error.stack ?? '', file) : undefined;
  const hint = isHitlError(error) ? error.hint : undefined;
  return {
    what: `it threw while loading${place === undefined ? '' : ` (${place})`}: ${messageOf(error)}`,
    hint: hint ?? 'at the top level of a tool module, only define tools',
    cause: error,
  };
}

/** Returns the first position in the stack that is in the module, in the form `line 4`. */
function placeIn(stack: string, file: string): string | undefined {
  const at = stack.indexOf(`${file}:`);
  const line = at === -1 ? undefined : /^\d+/.exec(stack.slice(at + file.length + 1))?.[0];
  return line === undefined ? undefined : `line ${line}`;
}
