import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { HitlError } from '../../src/core/index.js';
import type { Project, ProjectConfig } from './config-file.js';
import type { Io } from '../host/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import { foundBytes } from '../../src/files/index.js';
import { LOCAL_FILE, nearest, PROJECT_FILE, PROJECT_MODULE } from './project-place.js';
import { readModule, readJson } from './read-project.js';

const WHAT = 'this folder’s configuration';
const LOCAL_WHAT = 'this folder’s local configuration';

/**
 * Loads the project configuration for the working directory, `hitl.config.json` or `hitl.config.ts`. Until it
 * is trusted, none of it applies and no module runs (G34). Without `mode`, no one is asked, and an untrusted
 * configuration is ignored. With `--no-trust`, it is not read.
 * @throws HitlError USAGE if no one can be asked, BAD_CONFIG listing every invalid key, or if both files
 * exist.
 */
export async function loadProjectConfig(io: Io, flags: RunFlags, mode?: Mode): Promise<ProjectConfig> {
  const { folder, found } = nearest(io.cwd, [PROJECT_FILE, PROJECT_MODULE]);
  const [first = PROJECT_FILE, second] = found;
  if (second !== undefined && flags.trust !== false) {
    const [one, other] = [join(folder, first), join(folder, second)];
    throw new HitlError('BAD_CONFIG', `this folder has both \`${one}\` and \`${other}\``, {
      hint: 'keep only one of them',
    });
  }
  const path = join(folder, first);
  const project: Project = { io, flags, mode, what: WHAT };
  if (first !== PROJECT_MODULE) return fromJson(project, path);
  if (flags.trust === false) return { path, config: {}, exists: true, trusted: false };
  return readModule(project, path);
}

/**
 * Loads the user's own configuration next to the project's, `hitl.config.local.json`. It also requires trust,
 * because a repository could contain such a file.
 * @throws HitlError USAGE, BAD_CONFIG as for the project's configuration.
 */
export async function loadLocalConfig(io: Io, flags: RunFlags, mode?: Mode): Promise<ProjectConfig> {
  const { folder } = nearest(io.cwd, [LOCAL_FILE]);
  return fromJson({ io, flags, mode, what: LOCAL_WHAT }, join(folder, LOCAL_FILE));
}

/** Reads a JSON configuration. Loads the parser only if the file exists, because most folders have none. */
async function fromJson(project: Project, path: string): Promise<ProjectConfig> {
  const bytes = project.flags.trust === false ? undefined : foundBytes(path);
  if (bytes === undefined) {
    const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    return { path, config: {}, exists, trusted: false };
  }
  return readJson(project, path, bytes);
}
