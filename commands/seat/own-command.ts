import { StringDecoder } from 'node:string_decoder';
import { escapeLines, maskText } from '../../src/core/index.js';
import { startProgram, withoutOurFiles } from '../../src/programs/index.js';
import { killGroup } from '../../src/tools/index.js';
import type { Io } from '../host/index.js';
import { secretValues } from '../host/index.js';

/** Maximum number of characters of a command's output to keep. Only the end is kept. */
const MOST_CHARACTERS = 100_000;

/** The result of a command that the user ran with `!`. */
export interface OwnCommandEnd {
  /** Output of the command, or only the end of it if the output is long. */
  readonly output: string;
  /** How the command ended: `exit 0`, `ended by SIGTERM`, `could not be started: …`. */
  readonly how: string;
}

/** Runs a command for the user, with the user's permissions. Shows the output as it arrives. */
export function runOwnCommand(
  io: Pick<Io, 'cwd' | 'env'>,
  command: string,
  show: (text: string) => void,
  signal: AbortSignal,
): Promise<OwnCommandEnd> {
  const shell = io.env['SHELL'] ?? '/bin/sh';
  return new Promise((resolve) => {
    const child = withoutOurFiles((covered) =>
      startProgram(
        'own-command',
        { program: shell, args: ['-c', command], cwd: io.cwd, env: io.env },
        { stdio: ['ignore', 'pipe', 'pipe', ...covered], detached: true },
      ),
    );
    let output = '';
    const stop = (): void => {
      killGroup(child, 'SIGTERM');
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    for (const stream of [child.stdout, child.stderr]) {
      const decoder = new StringDecoder('utf8');
      stream?.on('data', (chunk: Buffer) => {
        const text = decoder.write(chunk);
        output = (output + text).slice(-MOST_CHARACTERS);
        show(text);
      });
    }
    const end = (how: string): void => {
      signal.removeEventListener('abort', stop);
      resolve({ output, how });
    };
    child.on('error', (error) => {
      end(`could not be started: ${error.message}`);
    });
    child.on('close', (code, by) => {
      end(by === null ? `exit ${code ?? 'unknown'}` : `ended by ${by}`);
    });
  });
}

/** Formats a user's command for the model. Keys and secrets in its output are masked. */
export function toldCommand(io: Pick<Io, 'env'>, command: string, { output, how }: OwnCommandEnd): string {
  const { value } = maskText(output.trimEnd(), secretValues(io.env));
  const said = value === '' ? 'It printed nothing.' : `It printed:\n${value}`;
  return `I ran \`${command}\` myself (${how}). ${said}`;
}

/** Shows a program's output as indented lines, safe for a terminal. */
export class ShownOutput {
  readonly #write: (text: string) => void;
  #rest = '';

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  end(): void {
    if (this.#rest !== '') this.#line(this.#rest);
    this.#rest = '';
  }

  #line(line: string): void {
    this.#write(`  ${escapeLines(line).join(' ')}\n`);
  }
}
