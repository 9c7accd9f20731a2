import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { HitlError } from '../../core/index.js';
import { ownEnvironment, startProgram } from '../../programs/index.js';

/** A program for editing text; resolves with the saved text. */
export interface TextEditor {
  /** The name that the person has for it, for the prompt. */
  readonly name: string;
  /**
   * @param file the name of the file that the program opens; of a path only the last part counts. Default `input.jsonc`.
   * @throws HitlError USAGE where the program cannot be started or fails.
   */
  edit(text: string, signal: AbortSignal, file?: string): Promise<string>;
}

export interface EditorOptions {
  /** `$VISUAL` takes precedence over `$EDITOR`; both may contain arguments. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder in which temporary folders are made. */
  readonly tempDir: string;
  /** The terminal's input and output, as streams with a file or their numbers. */
  readonly stdio: readonly [input: StdioTarget, output: StdioTarget];
}

/** The streams that a child process may inherit. */
type StdioTarget = number | NodeJS.ReadStream | NodeJS.WriteStream;

function run(
  command: string,
  file: string,
  { stdio, env }: Pick<EditorOptions, 'stdio' | 'env'>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (message: string, cause?: unknown) => {
      const hint = 'set $VISUAL or $EDITOR to an editor that waits, or use the form';
      reject(new HitlError('USAGE', message, { hint, ...(cause !== undefined && { cause }) }));
    };
    // By a shell, as git does it: the variable may hold arguments. The file's name is passed beside the command.
    const [input, output] = stdio;
    const place = { cwd: process.cwd(), home: env['HOME'] ?? '' };
    const child = startProgram(
      'editor',
      {
        ...{ program: '/bin/sh', args: ['-c', `${command} "$1"`, 'sh', file], place },
        env: ownEnvironment({ ...process.env, ...env }, place),
        cwd: dirname(file),
      },
      { stdio: [input, output, output], signal },
    );
    child.on('error', (error) => {
      fail(`cannot start the editor \`${command}\``, error);
    });
    child.on('close', (code, killedBy) => {
      if (code === 0) resolve();
      else fail(`the editor \`${command}\` exited with ${killedBy ?? `status ${String(code)}`}`);
    });
  });
}

/** A name for a copy of a file, from a name of outside: its letters, and the suffix by which editors know its kind. */
function safeName(path: string): string {
  const plain = basename(path)
    .replaceAll(/[^\p{L}\p{N}._-]/gu, '_')
    .slice(-LONGEST_NAME);
  // A name that begins with a sign would be hidden, or an option.
  return /^[\p{L}\p{N}]/u.test(plain) ? plain : `file${plain}`;
}
/** The characters of a file's name that are kept. */
const LONGEST_NAME = 64;

/** The person's editor; `undefined` where neither `$VISUAL` nor `$EDITOR` is set. */
export function editorOf(options: EditorOptions): TextEditor | undefined {
  const { env, tempDir, stdio } = options;
  const command = [env['VISUAL'], env['EDITOR']].find((value) => value !== undefined && value.trim() !== '');
  if (command === undefined) return undefined;
  return {
    name: command,
    async edit(text, signal, name) {
      // Only the owner may look into the folder, and into the file (G32).
      const folder = await mkdtemp(join(tempDir, 'hitl-edit-'));
      try {
        const file = join(folder, name === undefined ? 'input.jsonc' : safeName(name));
        await writeFile(file, text, { mode: 0o600, flag: 'wx' });
        await run(command, file, { stdio, env }, signal);
        return await readFile(file, 'utf8');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
