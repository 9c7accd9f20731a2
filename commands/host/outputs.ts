import { errnoOf, messageOf, shown, escapeText } from '../../src/core/index.js';
import type { Io } from './io.js';

/** The watch on the outputs while a command writes. */
export interface Outputs {
  /** The status of a program that ends with `status`: 6, and two lines, where its output could not be written (G6). */
  judged(status: number): Promise<number>;
}

/**
 * Keeps a failure to write from ending the program in the middle: what runs comes to its end, and is saved. A reader that
 * leaves (`| head -1`) and a terminal that is gone are no errors. What stderr cannot take is lost: nobody can be told.
 */
export function watchOutputs({ stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>): Outputs {
  let lost: Error | undefined;
  stdout.on('error', (error) => {
    const errno = errnoOf(error);
    const isLeft = errno === 'EPIPE' || (errno === 'EIO' && stdout.isTTY);
    if (!isLeft) lost ??= error;
  });
  stderr.on('error', () => undefined);
  return {
    async judged(status) {
      await new Promise<void>((told) => {
        setImmediate(told); // streams tell of a failure a moment later
      });
      if (lost === undefined || status > LAST_OF_OURS) return status;
      stderr.write(shown`error: the output could not be written: ${escapeText(messageOf(lost))}\n`);
      stderr.write(shown`hint: what was done is saved: see \`hitl list\`; write the output somewhere else\n`);
      return 6;
    },
  };
}

/** Above are those of signals. */
const LAST_OF_OURS = 128;
