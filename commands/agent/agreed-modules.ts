// Invariant: what was agreed to is what is loaded. Whoever loads a module or a workflow is handed the files as they were
// hashed for the question, and loads nothing else (ADR 55).
import type { AgentFingerprint, Tool } from '../../src/core/index.js';
import { HitlError, present } from '../../src/core/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { pathHere } from '../host/index.js';
import type { FileContent } from '../../src/files/index.js';
import { concerned, isTrusted, keepTrust } from '../trust/trust.js';
import { moduleClosure } from '../../src/files/index.js';
import type { FlowFile } from './load-flow.js';
import { moduleTools } from './tools.js';
import { partsBeside } from './load-flow.js';

/**
 * Returns the trusted files of a workflow. A workflow that the user specified is trusted. The user is asked
 * to trust any other file: one that was only found, such as the `flow.ts` in a folder or the parts module
 * next to a file, or a workflow that a session specifies (G34).
 * @throws HitlError USAGE if the user cannot be asked, or declines.
 */
export async function trustFlow(
  io: Io,
  flags: TrustFlags,
  mode: Mode,
  { file, isNamed }: FlowFile,
): Promise<readonly FileContent[]> {
  const parts = await partsBeside(file);
  const named = isNamed ? await trustNamed(io, flags, [file]) : [];
  const found = isNamed ? parts : [file, ...parts];
  return [...named, ...(await askTrust(io, flags, mode, { modules: found, ...FLOW_MODULES }))];
}

/**
 * Returns the trusted tool modules of a session. A user who specifies a module with a flag consents to it. A
 * configured module was trusted with its configuration. If it has changed since then, or is one of the files
 * that the session works on, the user is asked.
 * @throws HitlError USAGE if the user cannot be asked, or declines.
 */
export async function agreedTools(
  io: Io,
  flags: TrustFlags & Pick<RunFlags, 'tools' | 'toolsFrom'>,
  mode: Mode,
  modules: readonly string[],
): Promise<readonly FileContent[]> {
  if (flags.tools === undefined) return askTrust(io, flags, mode, { modules, ...TOOL_MODULES });
  if (flags.toolsFrom !== 'configuration') return trustNamed(io, flags, modules);
  const files = modules.flatMap(readable);
  const asked = await concerned(io, files);
  await askAbout(io, flags, mode, { files: asked, ...CONFIGURED_MODULES });
  return files;
}

/**
 * Loads the tool modules recorded in a session, once the user trusts them.
 * @throws HitlError USAGE if the user cannot be asked, or declines.
 */
export async function toolsOfSession(
  io: Io,
  flags: TrustFlags,
  mode: Mode,
  { agent, cwd: began }: { readonly agent?: AgentFingerprint; readonly cwd?: string },
): Promise<readonly Tool[]> {
  const modules = (agent?.modules ?? []).map((file) =>
    pathHere(file, { cwd: io.cwd, ...present({ began }) }),
  );
  const agreed = await askTrust(io, flags, mode, { modules, ...TOOL_MODULES });
  return await moduleTools(io, { modules, agreed });
}

/** Flags that affect how trust is asked for and saved. */
type TrustFlags = Pick<RunFlags, 'trust' | 'save' | 'color'>;

/** The wording of a question about modules from one source. */
interface ModuleWords {
  readonly one: string;
  readonly several: string;
  /** What the user can do instead of trusting the modules. */
  readonly otherwise: string;
}

const TOOL_MODULES: ModuleWords = {
  one: 'a tool module of this session',
  several: 'one of this session’s tool modules',
  otherwise: 'or specify the modules to load: --tools <module>',
};

const CONFIGURED_MODULES: ModuleWords = {
  one: 'a tool module from the configuration',
  several: 'one of the tool modules from the configuration',
  otherwise: 'or continue without the configuration: --no-trust',
};

const FLOW_MODULES: ModuleWords = {
  one: 'a module of this workflow',
  several: 'one of this workflow’s modules',
  otherwise: 'files that you specify are trusted; files next to them are not',
};

/**
 * Saves trust in modules that were specified with a flag, so that the user is not asked when the session is
 * resumed. By specifying the modules, the user consented to them (G34).
 */
async function trustNamed(
  io: Io,
  flags: TrustFlags,
  modules: readonly string[],
): Promise<readonly FileContent[]> {
  const files = modules.flatMap(readable);
  if (flags.save === true && files.length > 0) await keepTrust(io, files);
  return files;
}

/**
 * Asks the user to trust modules that were found or that a session recorded. @throws HitlError USAGE if the
 * user declines.
 */
async function askTrust(
  io: Io,
  flags: TrustFlags,
  mode: Mode,
  { modules, ...words }: ModuleWords & { readonly modules: readonly string[] },
): Promise<readonly FileContent[]> {
  const files = modules.flatMap(moduleClosure);
  await askAbout(io, flags, mode, { files, ...words });
  return files;
}

async function askAbout(
  io: Io,
  flags: TrustFlags,
  mode: Mode,
  { files, one, several, otherwise }: ModuleWords & { readonly files: readonly FileContent[] },
): Promise<void> {
  if (files.length === 0) return;
  const what = files.length === 1 ? one : several;
  const agreed = await isTrusted(io, flags, mode, {
    what,
    files,
    lines: ['runs code with your permissions when loaded'],
    otherwise,
  });
  if (agreed) return;
  throw new HitlError('USAGE', `${what} is not trusted; nothing loaded`, {
    hint: 'hitl answer <id> answers an open question without loading anything',
    detail: { untrusted: files.map(({ path }) => path) },
  });
}

/**
 * Reads the files of a specified module. Returns an empty list if the module cannot be read; the error is
 * reported when it is loaded.
 */
function readable(module: string): readonly FileContent[] {
  try {
    return moduleClosure(module);
  } catch {
    return [];
  }
}
