import { lstat, readFile } from 'node:fs/promises';
import path from 'node:path';

import { isBelow } from '../../files/index.js';

/**
 * Sockets that other programs listen on in a folder, as far as the kernel’s table tells: one that was bound by a
 * relative name is looked for in the folder itself. That nobody may write to a file system keeps nobody from talking
 * to them.
 */
export async function socketsIn(folder: string): Promise<readonly string[]> {
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '');
  const names = table.split('\n').flatMap((line) => /^(?:\S+ +){6}\S+ ([^@].*)$/u.exec(line)?.[1] ?? []);
  const paths = new Set(names.map((name) => path.resolve(folder, name)));
  const inside = [...paths].filter((name) => isBelow(name, folder));
  const sockets = await Promise.all(inside.map(isSocket));
  return inside.filter((_, index) => sockets[index]);
}

async function isSocket(file: string): Promise<boolean> {
  return lstat(file).then(
    (at) => at.isSocket(),
    () => false, // Its program has ended.
  );
}
