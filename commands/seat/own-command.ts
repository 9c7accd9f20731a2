import { StringDecoder } from 'node:string_decoder';
import { escapeLines, maskText } from '../../src/core/index.js';
import { startProgram, withoutOurFiles } from '../../src/programs/index.js';
import { killGroup } from '../../src/tools/index.js';
import type { Io } from '../host/index.js';
import { secretValues } from '../host/index.js';

/** More of what a command printed is not kept, in characters: its end counts. */
const MOST_CHARACTERS = 100_000;

/** The end of a command of the person's own. */
export interface OwnCommandEnd {
  /** Its end, where it is long. */
  readonly output: string;
  /** `exit 0`, `ended by SIGTERM`, `could not be started: …`. */
  readonly how: string;
}

/** Runs a command of the person's own, with their rights and in their name, and shows what it prints as it comes. */
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

/** Makes the text that tells the model of a command that the person ran; keys and secrets in its output are masked. */
export function toldCommand(io: Pick<Io, 'env'>, command: string, { output, how }: OwnCommandEnd): string {
  const { value } = maskText(output.trimEnd(), secretValues(io.env));
  const said = value === '' ? 'It printed nothing.' : `It printed:\n${value}`;
  return `I ran \`${command}\` myself (${how}). ${said}`;
}

/** Lines of a program's output, safe for a terminal and further in than what the product says. */
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
