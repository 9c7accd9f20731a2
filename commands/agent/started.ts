// The one list of what this program starts or loads here, and of what steers others (ADR 55). The sandbox keeps it from
// commands, a change of a file that is in it says so, and nothing else says what is guarded.
import { dirname, join } from 'node:path';
import { isBelow, isFolder, realFolder } from '../../src/files/index.js';
import type { Started } from '../../src/programs/index.js';
import { filesOfWords, ownPackage, repositories, steering } from '../../src/programs/index.js';
import type { McpServer } from '../../src/tools/mcp/index.js';
import { MEMORY_FILES } from './project-memory.js';
import { foldersOfProject, LOCAL_FILE, PROJECT_FILE, PROJECT_MODULE } from '../config/project-place.js';
import type { Io } from '../host/index.js';
import type { FileContent } from '../../src/files/index.js';

/** Files that a session starts or loads. */
export interface StartedHere {
  readonly notify?: readonly string[] | undefined;
  readonly apiKeyCommand?: readonly string[] | undefined;
  readonly reviewer?: readonly string[] | undefined;
  readonly servers: readonly McpServer[];
  /** Tool modules and the files that they import. */
  readonly modules: readonly string[];
  /** Trusted files of the modules and the workflow, with their content. */
  readonly agreed: readonly FileContent[];
  readonly flow?: string | undefined;
  /** Files that the user trusts, in any location. Other sessions in this folder load them without asking. */
  readonly trusted: readonly string[];
}

/**
 * Returns a function that finds the paths that this session starts or loads, whether or not they exist. The
 * search runs on first use, because it reads the whole folder and most runs do not need it.
 */
export function startedHere(io: Pick<Io, 'cwd'>, here: StartedHere): () => readonly Started[] {
  const folder = realFolder(io.cwd);
  let found: readonly Started[] | undefined;
  return () => (found ??= listed(folder, here));
}

/** Returns a function that finds the paths in a folder that are started or loaded even without a session. */
export function startedIn(cwd: string): () => readonly Started[] {
  return startedHere({ cwd }, { servers: [], modules: [], agreed: [], trusted: [] });
}

function listed(folder: string, here: StartedHere): readonly Started[] {
  const agreed = here.agreed.map(({ path }) => path);
  const settings = configurations(folder);
  const others = here.trusted.filter(
    (path) => isBelow(path, folder) && !agreed.includes(path) && !settings.some((one) => one.path === path),
  );
  const contents = here.servers.flatMap(contentsOf).map(({ path }) => path);
  return [
    ...settings,
    ...[...agreed, ...others].map(loaded),
    ...packagesAround([...agreed, ...others, ...contents], folder),
    ...here.modules.map(loaded),
    ...(here.flow === undefined ? [] : [{ ...loaded(here.flow), kind: 'workflow' } as const]),
    ...filesOf(here.notify, 'notify', '`notify`: started when a question is waiting'),
    ...filesOf(here.apiKeyCommand, 'key command', '`apiKeyCommand`: started when a key is needed'),
    ...filesOf(here.reviewer, 'reviewer', '`reviewer`: started before you are asked'),
    ...here.servers.flatMap(serverFiles),
    ...ownPackage(import.meta.dirname, folder),
    ...repositories(folder),
    ...MEMORY_FILES.map((name) => ({
      path: join(folder, name),
      kind: 'instructions' as const,
      why: 'hitl and other agents send it to their model',
      names: true as const,
    })),
    ...steering(folder),
  ];
}

function configurations(folder: string): readonly Started[] {
  const why = 'hitl reads it at the next start';
  return foldersOfProject(folder).flatMap((at) =>
    [PROJECT_FILE, PROJECT_MODULE, LOCAL_FILE].map((name) => ({
      path: join(at, name),
      kind: 'configuration' as const,
      why,
      names: true as const,
    })),
  );
}

function loaded(path: string): Started {
  return { path, kind: 'tool module', why: 'hitl loads it as code' };
}

function filesOf(
  words: readonly string[] | undefined,
  kind: Started['kind'],
  why: string,
): readonly Started[] {
  return filesOfWords(words ?? []).map(({ path }) => ({ path, kind, why }));
}

function serverFiles(server: McpServer): readonly Started[] {
  if (server.type === 'http') return [];
  const why = `the server \`${server.name}\` starts from it`;
  return contentsOf(server).map(({ path }) => ({ path, kind: 'server', why }));
}

function contentsOf(server: McpServer): readonly FileContent[] {
  return server.type === 'http' ? [] : (server.files ?? []);
}

/**
 * Returns the folders that modules may load packages from. Includes folders that do not exist, because a new,
 * nearer folder could contain another package with the same name. Returns none if no module loads packages
 * from this folder.
 */
function packagesAround(files: readonly string[], folder: string): readonly Started[] {
  const here = files.filter((path) => isBelow(path, folder));
  if (!here.some(isFolder)) return [];
  const why = 'hitl loads packages from it as code';
  const folders = here.flatMap((path) => above(path, folder));
  return [...new Set(folders)].map((at) => ({ path: join(at, 'node_modules'), kind: 'tool module', why }));
}

/** Returns the parent folders of a file, up to a given folder. */
function above(file: string, folder: string): readonly string[] {
  const at = dirname(file);
  return file === folder || !isBelow(at, folder) ? [] : [at, ...above(at, folder)];
}
