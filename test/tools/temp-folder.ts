import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach } from 'vitest';

/** A folder for one test, removed after it. */
export interface TempFolder {
  readonly path: string;
  /** Writes files below it, with their folders. */
  write(files: Readonly<Record<string, string | Buffer>>): Promise<void>;
}

/** Makes folders that do not outlive the test. */
export function tempFolders(): () => Promise<TempFolder> {
  const made: string[] = [];
  afterEach(async () => {
    for (const folder of made.splice(0)) await rm(folder, { recursive: true, force: true });
  });
  return async () => {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'hitl-tools-')));
    made.push(folder);
    return {
      path: folder,
      async write(files) {
        for (const [name, content] of Object.entries(files)) {
          await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
          await writeFile(path.join(folder, name), content);
        }
      },
    };
  };
}
