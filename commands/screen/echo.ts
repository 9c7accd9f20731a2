import { runProgram } from '../../src/programs/index.js';
import type { Io } from '../host/index.js';

/** Turns the terminal's echo on or off. Returns false if it cannot be changed. */
export function setEcho({ stdin }: Io, isShown: boolean): boolean {
  if (!stdin.isTTY) return false;
  const { status } = runProgram(
    'terminal',
    { program: 'stty', args: [isShown ? 'echo' : '-echo'] },
    { stdio: [stdin, 'ignore', 'ignore'] },
  );
  return status === 0;
}
