// The built package, copied: a build meanwhile does not change what is attacked.
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A copy of what is built, as a package that programs can import. */
export class ProgramCopy implements Disposable {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'hitl-attacked-'));
  readonly bin = path.join(this.folder, 'dist/bin/hitl.js');

  /** @throws Error where nothing was built. */
  constructor(repository: string) {
    if (!existsSync(path.join(repository, 'dist/bin/hitl.js')))
      throw new Error('nothing is built: npm run build');
    for (const name of ['dist', 'schemas', 'package.json'])
      cpSync(path.join(repository, name), path.join(this.folder, name), { recursive: true });
    symlinkSync(path.join(repository, 'node_modules'), path.join(this.folder, 'node_modules'));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
