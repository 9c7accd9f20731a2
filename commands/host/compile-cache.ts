import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import type { Io } from './io.js';
import { stateFolder } from './paths.js';

const OTHERS_MAY_WRITE = 0o022;

/**
 * Keeps compiled code between starts where Node can, which 22 and later do. What is kept is run as it is, so it is not
 * kept in the temporary folder that everybody shares, as Node would, but beside the sessions, and only where no other
 * user may write. Who has no sessions yet gets no folder.
 */
export function keepCompiledCode(place: Pick<Io, 'env' | 'home'>): void {
  const enable: unknown = Reflect.get(module, 'enableCompileCache');
  if (typeof enable !== 'function') return;
  const state = stateOf(place);
  if (state === undefined || !isOwn(state)) return;
  const folder = join(state, 'compile-cache');
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // it is there already, or cannot be made: that is looked at next
  }
  if (isOwn(folder)) Reflect.apply(enable, module, [folder]);
}

function stateOf(place: Pick<Io, 'env' | 'home'>): string | undefined {
  try {
    return stateFolder(place);
  } catch {
    return undefined; // nobody's home: what needs the folder says so
  }
}

/** True for a folder that this user has, and that no other may write; links are not followed. */
function isOwn(folder: string): boolean {
  try {
    const facts = lstatSync(folder);
    return facts.isDirectory() && facts.uid === process.geteuid?.() && (facts.mode & OTHERS_MAY_WRITE) === 0;
  } catch {
    return false; // not there, or behind what this user may not enter: what needs the folder says so
  }
}
