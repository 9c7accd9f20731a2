import { lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../io.js';
import { KeptCode } from './kept-code.js';
import { stateFolder } from '../paths.js';

const OTHERS_MAY_WRITE = 0o022;

/**
 * Keeps compiled code between starts: Node 22 and later do it themselves. What is kept is run as it is, so it is not
 * kept in the temporary folder that everybody shares, as Node would, but in a folder that only this user may write:
 * the one that Node's own variable names, else one beside the sessions. Who has no sessions yet gets no folder.
 */
export function keepCompiledCode(place: Pick<Io, 'env' | 'home'>, command: string): void {
  const { NODE_DISABLE_COMPILE_CACHE: off = '' } = place.env;
  if (off !== '') return;
  const folder = folderFor(place);
  if (folder === undefined) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // it is there already, or cannot be made: that is looked at next
  }
  if (!isOwn(folder)) return;
  const module = process.getBuiltinModule('node:module'); // loaded only where there is a folder
  const enable: unknown = Reflect.get(module, 'enableCompileCache');
  if (typeof enable === 'function') Reflect.apply(enable, module, [folder]);
  else new KeptCode(folder, import.meta.dirname, command).use();
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

/** True for a folder that this user has, and that no other may write; links are not followed. */
function isOwn(folder: string): boolean {
  try {
    const facts = lstatSync(folder);
    return facts.isDirectory() && facts.uid === process.geteuid?.() && (facts.mode & OTHERS_MAY_WRITE) === 0;
  } catch {
    return false; // not there, or behind what this user may not enter: what needs the folder says so
  }
}
