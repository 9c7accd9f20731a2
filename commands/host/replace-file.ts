import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/** Creates or replaces a file atomically, so that only its owner can read it. Throws Node's errors. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.tmp`;
  const file = await open(temporary, 'wx', 0o600);
  try {
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
