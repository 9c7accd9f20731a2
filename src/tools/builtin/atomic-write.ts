import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

import { errnoOf, HitlError } from '../../core/index.js';

import { fileProblem } from './file-problem.js';
import type { Place } from './place.js';

/**
 * Puts a text in the place of a file, whole or not at all; folders on the way are made, the file's mode is kept.
 * @throws HitlError TOOL_FAILED where it cannot be written, or a folder on the way was exchanged since it was checked.
 */
export async function writeAtomically(place: Place, text: string): Promise<void> {
  const folder = path.dirname(place.path);
  // Made exclusively and under a name that nobody can foresee (G32).
  const temporary = path.join(folder, `.${path.basename(place.path).slice(0, 40)}.${randomUUID()}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    if ((await realpath(folder)) !== folder) {
      throw new HitlError('TOOL_FAILED', `${place.label} leads elsewhere now than when it was checked`);
    }
    const mode = await modeOf(place.path);
    await writeNew(temporary, text, mode);
    await rename(temporary, place.path);
    await syncFolder(folder);
  } catch (error) {
    await rm(temporary, { force: true });
    throw fileProblem(error, place.label);
  }
}

async function modeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mode & 0o7777;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeNew(file: string, text: string, mode: number | undefined): Promise<void> {
  const handle = await open(
    file,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o666,
  );
  try {
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(text, 'utf8');
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
