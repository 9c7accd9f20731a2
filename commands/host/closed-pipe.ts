import type { Io } from './io.js';

/** A reader that leaves (`| head -1`) is no error: what was asked for is saved, and nobody is left to read on. */
export function quietOnClosedPipe({ stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>): void {
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    });
  }
}
