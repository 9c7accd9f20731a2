import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

/** The function that Node makes of a file, and the names it gives it. */
const HEAD = '(function (exports, require, module, __filename, __dirname) { ';
const TAIL = '\n});';
/** A word that may be part of a file's name. */
const COMMAND = /^[a-z]{2,12}$/;
/** The status of words that are no command, for which nothing is worth keeping. */
const MISUSED = 2;

/**
 * Compiled code of the program's own files, for a Node that keeps none itself. An engine refuses what another one made;
 * of the source it compares only the length, so a file that was written anew has another name here. Code that is kept
 * cannot import: the build leads imports of ES modules to a file that is not.
 */
export class KeptCode {
  readonly #folder: string;
  readonly #program: string;
  readonly #command: string;

  /**
   * @param folder where it is kept, for this user alone; @param program the folder of the program's files
   * @param command the command, because each runs other functions; what is kept for it holds no others
   */
  constructor(folder: string, program: string, command: string) {
    this.#folder = folder;
    this.#program = program;
    this.#command = COMMAND.test(command) ? command : '';
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
    const build = `${basename(file)}-${size}-${mtimeMs}-${process.version}-${process.arch}`;
    const cachedData = bytesOf(join(this.#folder, `${build}-${this.#command}`));
    // The build writes nothing beyond ASCII, which is read and held in this way for a third of the time.
    const script = new Script(`${HEAD}${readFileSync(file, 'latin1')}${TAIL}`, {
      filename: file,
      columnOffset: -HEAD.length,
      ...(cachedData !== undefined && { cachedData }),
    });
    if (cachedData === undefined || script.cachedDataRejected === true)
      process.once('exit', (status) => {
        if (status !== MISUSED) this.#keep(script, { file: basename(file), build });
      });
    const body: unknown = script.runInThisContext();
    if (typeof body !== 'function') return;
    Reflect.apply(body, module.exports, [module.exports, createRequire(file), module, file, dirname(file)]);
  }

  /** Keeps what was compiled up to now, and nothing of other builds of the file. */
  #keep(script: Script, { file, build }: { readonly file: string; readonly build: string }): void {
    try {
      const others = readdirSync(this.#folder).filter(
        (name) => name.startsWith(`${file}-`) && !name.startsWith(`${build}-`),
      );
      const kept = join(this.#folder, `${build}-${this.#command}`);
      const fresh = `${kept}.${process.pid}`;
      writeFileSync(fresh, script.createCachedData(), { flag: 'wx', mode: 0o600 });
      renameSync(fresh, kept);
      for (const name of others) rmSync(join(this.#folder, name), { force: true });
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
