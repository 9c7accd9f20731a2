import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { HitlError } from '../../core/index.js';
import { ownEnvironment, startProgram } from '../../programs/index.js';

/** A program for editing text; resolves with the saved text. */
export interface TextEditor {
  /** The name that the person has for it, for the prompt. */
  readonly name: string;
  /** @throws HitlError USAGE if the program cannot be started or fails. */
  edit(text: string, signal: AbortSignal): Promise<string>;
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

/** Returns the user's editor; `undefined` if neither `$VISUAL` nor `$EDITOR` is set. */
export function editorOf(options: EditorOptions): TextEditor | undefined {
  const { env, tempDir, stdio } = options;
  const command = [env['VISUAL'], env['EDITOR']].find((value) => value !== undefined && value.trim() !== '');
  if (command === undefined) return undefined;
  return {
    name: command,
    async edit(text, signal) {
      // Only the owner may look into the folder, and into the file (G32).
      const folder = await mkdtemp(join(tempDir, 'hitl-edit-'));
      try {
        const file = join(folder, 'input.jsonc');
        await writeFile(file, text, { mode: 0o600, flag: 'wx' });
        await run(command, file, { stdio, env }, signal);
        return await readFile(file, 'utf8');
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}
