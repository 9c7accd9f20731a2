import { spawnSync } from 'node:child_process';
import type { Io } from '../host/index.js';

/** Lets the terminal show what is typed, or hide it; false where it cannot be told to. */
export function setEcho({ stdin }: Io, isShown: boolean): boolean {
  if (!stdin.isTTY) return false;
  const { status } = spawnSync('stty', [isShown ? 'echo' : '-echo'], { stdio: [stdin, 'ignore', 'ignore'] });
  return status === 0;
}
