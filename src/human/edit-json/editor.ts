import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import { HitlError } from '../../core/index.js';
import { ownEnvironment, startProgram } from '../../programs/index.js';

/** A text editor program. */
export interface TextEditor {
  /** The name of the editor as the user knows it, for the prompt. */
  readonly name: string;
  /**
   * Opens text in the editor and returns the saved text.
   * @param file name of the file to open; only the last part of a path is used. Default: `input.jsonc`.
   * @throws HitlError USAGE if the program cannot be started or fails.
   */
  edit(text: string, signal: AbortSignal, file?: string): Promise<string>;
}

export interface EditorOptions {
  /** Environment variables. `$VISUAL` takes precedence over `$EDITOR`; both may contain arguments. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder in which to create temporary folders. */
  readonly tempDir: string;
  /** The terminal's input and output, each as a file descriptor or as a stream that has one. */
  readonly stdio: readonly [input: StdioTarget, output: StdioTarget];
}

/** A stream that a child process can inherit. */
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

/**
 * Creates a safe file name for a copy from an untrusted name. Keeps its letters, and the suffix that tells
 * editors the file type.
 */
function safeName(path: string): string {
  const plain = basename(path)
    .replaceAll(/[^\p{L}\p{N}._-]/gu, '_')
    .slice(-LONGEST_NAME);
  // A name that begins with a sign would be hidden, or an option.
  return /^[\p{L}\p{N}]/u.test(plain) ? plain : `file${plain}`;
}
/** Maximum number of characters to keep in a file name. */
const LONGEST_NAME = 64;

/** Returns the user's editor; `undefined` if neither `$VISUAL` nor `$EDITOR` is set. */
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
