import { errnoOf, escapeText, messageOf, shown } from '../../src/core/index.js';
import type { Io, ShownStream } from './io.js';

type OutputStreams = Pick<Io, 'stdout' | 'stderr'>;

/** A command's outputs. Write errors are handled from the first use of each. */
export interface Outputs extends OutputStreams {
  /** Starts handling write errors of an output, and returns it. */
  watch(name: keyof OutputStreams): ShownStream;
  /** Returns the final exit status. If output could not be written, reports the error and returns 6 (G6). */
  judged(status: number): Promise<number>;
}

/**
 * Prevents a write error from ending the program midway, so that the run finishes and is saved. A closed
 * reader (`| head -1`) or a lost terminal is not an error. Output that cannot be written to stderr is lost.
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

/** Whether an exit status means that a signal ended the program. */
export function isOfSignal(status: number): boolean {
  return status > 128;
}
