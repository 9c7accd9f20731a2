import { errnoOf, escapeText, messageOf, shown } from '../../src/core/index.js';
import type { Io, ShownStream } from './io.js';

type OutputStreams = Pick<Io, 'stdout' | 'stderr'>;

/** The outputs while a command writes, each of which is watched from its first use. */
export interface Outputs extends OutputStreams {
  /** Begins to watch one of them. */
  watch(name: keyof OutputStreams): ShownStream;
  /** The status of a program that ends with `status`: 6, and two lines, where its output could not be written (G6). */
  judged(status: number): Promise<number>;
}

/**
 * Keeps a failure to write from ending the program in the middle: what runs comes to its end, and is saved. A reader that
 * leaves (`| head -1`) and a terminal that is gone are no errors. What stderr cannot take is lost: nobody can be told.
 */
export function watchOutputs(streams: OutputStreams): Outputs {
  let lost: Error | undefined;
  const onError = {
    stdout: (error: Error) => {
      const errno = errnoOf(error);
      const isLeft = errno === 'EPIPE' || (errno === 'EIO' && streams.stdout.isTTY);
      if (!isLeft) lost ??= error;
    },
    stderr: () => undefined,
  };
  const watched = new Set<keyof OutputStreams>();
  const watch = (name: keyof OutputStreams): ShownStream => {
    const stream = streams[name];
    if (!watched.has(name)) stream.on('error', onError[name]);
    watched.add(name);
    return stream;
  };
  return {
    watch,
    get stdout() {
      return watch('stdout');
    },
    get stderr() {
      return watch('stderr');
    },
    async judged(status) {
      if (!watched.has('stdout')) return status;
      await new Promise<void>((told) => {
        setImmediate(told); // streams tell of a failure a moment later
      });
      if (lost === undefined || isOfSignal(status)) return status;
      const stderr = watch('stderr');
      stderr.write(shown`error: could not write the output: ${escapeText(messageOf(lost))}\n`);
      stderr.write(shown`hint: progress is saved (see \`hitl list\`); write the output somewhere else\n`);
      return 6;
    },
  };
}

/** True for the status of a program that a signal ended. */
export function isOfSignal(status: number): boolean {
  return status > 128;
}
