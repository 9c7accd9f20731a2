import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat } from 'node:fs/promises';
import path from 'node:path';

import type { Anchor } from './anchor.js';
import { isSame, moved, withCode } from './anchor.js';

/** A folder on the path, as it was when checked. */
interface Step {
  readonly path: string;
  readonly seen: BigIntStats;
}

/**
 * Opens the root on systems without descriptor paths. Compares every folder on the path before and after each
 * step, and every opened file with its name.
 */
export async function identityRoot(root: string): Promise<Anchor> {
  return new IdentityAnchor([{ path: root, seen: await lstat(root, { bigint: true }) }]);
}

class IdentityAnchor implements Anchor {
  readonly #way: readonly [...Step[], Step];
  readonly self: string;
  readonly descriptor = undefined;

  constructor(way: readonly [...Step[], Step]) {
    this.#way = way;
    this.self = way[way.length - 1]?.path ?? '';
  }

  at(name: string): string {
    return path.join(this.self, name);
  }

  async child(name: string): Promise<Anchor> {
    await this.verify();
    const at = this.at(name);
    const seen = await lstat(at, { bigint: true });
    if (seen.isSymbolicLink()) throw moved(at);
    if (!seen.isDirectory()) throw withCode('ENOTDIR', `${at} is not a folder`);
    const child = new IdentityAnchor([...this.#way, { path: at, seen }]);
    await child.verify();
    return child;
  }

  async verify(): Promise<void> {
    const now = await Promise.all(this.#way.map(async (step) => lstat(step.path, { bigint: true })));
    const lost = this.#way.find(({ seen }, index) => {
      const found = now[index];
      return found?.isDirectory() !== true || !isSame(found, seen);
    });
    if (lost !== undefined) throw moved(lost.path);
  }

  async confirm(name: string, handle: FileHandle): Promise<void> {
    const [named, opened] = await Promise.all([
      lstat(this.at(name), { bigint: true }),
      handle.stat({ bigint: true }),
    ]);
    if (named.isSymbolicLink() || !isSame(named, opened)) throw moved(this.at(name));
    await this.verify();
  }

  async close(): Promise<void> {
    // It holds nothing.
  }
}
