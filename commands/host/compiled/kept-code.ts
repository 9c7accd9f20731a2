import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** The function that Node makes of a file, and the names it gives it. */
const HEAD = '(function (exports, require, module, __filename, __dirname) { ';
const TAIL = '\n});';

/**
 * Compiled code of the program's own files, for a Node that keeps none itself. An engine refuses what another one made;
 * of the source it compares only the length, so a file that was written anew has another name here. Code that is kept
 * cannot import: the build leads imports of ES modules to a file that is not.
 */
export class KeptCode {
  readonly #folder: string;
  readonly #program: string;

  /** @param folder where it is kept, for this user alone; @param program the folder of the program's files */
  constructor(folder: string, program: string) {
    this.#folder = folder;
    this.#program = program;
  }

  /** From now on files of the program are loaded with what is kept of them; what is not is kept when the process ends. */
  use(): void {
    // Node advises against new kinds of files; this is the one place where it lets a file be loaded in another way.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    const { extensions } = createRequire(join(this.#program, 'index.js'));
    const usual = extensions['.js'];
    extensions['.js'] = (module: NodeJS.Module, file: string): void => {
      if (dirname(file) === this.#program && file.endsWith('.js')) this.#load(module, file);
      else usual(module, file);
    };
  }

  #load(module: NodeJS.Module, file: string): void {
    const { size, mtimeMs } = statSync(file);
    const kept = join(
      this.#folder,
      `${basename(file)}-${size}-${mtimeMs}-${process.version}-${process.arch}`,
    );
    const cachedData = bytesOf(kept);
    const script = new Script(`${HEAD}${readFileSync(file, 'utf8')}${TAIL}`, {
      filename: file,
      columnOffset: -HEAD.length,
      ...(cachedData !== undefined && { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected === true)
      process.once('exit', () => {
        this.#keep(kept, file, script);
      });
    const body: unknown = script.runInThisContext();
    if (typeof body !== 'function') return;
    Reflect.apply(body, module.exports, [module.exports, createRequire(file), module, file, dirname(file)]);
  }

  /** Keeps what was compiled up to now in place of what was kept of the same file before. */
  #keep(kept: string, file: string, script: Script): void {
    try {
      const older = readdirSync(this.#folder).filter((name) => name.startsWith(`${basename(file)}-`));
      const fresh = `${kept}.${process.pid}`;
      writeFileSync(fresh, script.createCachedData(), { flag: 'wx', mode: 0o600 });
      renameSync(fresh, kept);
      for (const name of older)
        if (name !== basename(kept)) rmSync(join(this.#folder, name), { force: true });
    } catch {
      // the disk is full, or the folder is gone: it is compiled again next time
    }
  }
}

function bytesOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // the first start
  }
}
