import { lstatSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import type { Io } from './io.js';
import { stateFolder } from './paths.js';

const OTHERS_MAY_WRITE = 0o022;

/**
 * Enables Node's compile cache (Node 22.8 and later). Cached code runs unchecked, so the cache is stored in a
 * folder that only this user can write to, not in the shared temporary folder that Node uses by default. The
 * folder is `NODE_COMPILE_CACHE` or, if that is not set, one next to the sessions. It is created only once
 * sessions exist.
 */
export function keepCompiledCode(place: Pick<Io, 'env' | 'home'>): void {
  const { NODE_DISABLE_COMPILE_CACHE: off = '' } = place.env;
  if (off !== '') return;
  const enable: unknown = Reflect.get(module, 'enableCompileCache');
  if (typeof enable !== 'function') return;
  const folder = folderFor(place);
  if (folder === undefined) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // it is there already, or cannot be made: that is looked at next
  }
  if (!isOwn(folder)) return;
  Reflect.apply(enable, module, [folder]);
}

function folderFor(place: Pick<Io, 'env' | 'home'>): string | undefined {
  const { NODE_COMPILE_CACHE: named = '' } = place.env;
  if (named !== '') return named;
  const state = stateOf(place);
  return state !== undefined && isOwn(state) ? join(state, 'compile-cache') : undefined;
}

function stateOf(place: Pick<Io, 'env' | 'home'>): string | undefined {
  try {
    return stateFolder(place);
  } catch {
    return undefined; // nobody's home: what needs the folder says so
  }
}

/** Whether this user owns the folder and no one else may write to it. Links are not followed. */
function isOwn(folder: string): boolean {
  try {
    const facts = lstatSync(folder);
    return facts.isDirectory() && facts.uid === process.geteuid?.() && (facts.mode & OTHERS_MAY_WRITE) === 0;
  } catch {
    return false; // not there, or behind what this user may not enter: what needs the folder says so
  }
}
