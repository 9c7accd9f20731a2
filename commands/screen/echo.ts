import { runProgram } from '../../src/programs/index.js';
import type { Io } from '../host/index.js';

/** Lets the terminal show what is typed, or hide it; false where it cannot be told to. */
export function setEcho({ stdin }: Io, isShown: boolean): boolean {
  if (!stdin.isTTY) return false;
  const { status } = runProgram(
    'terminal',
    { program: 'stty', args: [isShown ? 'echo' : '-echo'] },
    { stdio: [stdin, 'ignore', 'ignore'] },
  );
  return status === 0;
}
