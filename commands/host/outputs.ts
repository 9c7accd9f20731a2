import { errnoOf, escapeText, messageOf, shown } from '../../src/core/index.js';
import type { Io, ShownStream } from './io.js';

type OutputStreams = Pick<Io, 'stdout' | 'stderr'>;

/** Outputs of a command, each watched from its first use. */
export interface Outputs extends OutputStreams {
  /** Starts to watch one of them. */
  watch(name: keyof OutputStreams): ShownStream;
  /** Returns the exit status: 6, with two lines, if output could not be written (G6). */
  judged(status: number): Promise<number>;
}

/**
 * Keeps a write failure from ending the program midway: the run finishes and is saved. A reader that closes
 * (`| head -1`) and a lost terminal are not errors. What stderr cannot write is lost.
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
