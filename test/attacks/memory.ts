// Watching how much memory a program takes, so that an attack on it does not take the machine's.
import { readFileSync } from 'node:fs';

import type { Process } from './process.js';

const EVERY_MS = 100;

/** Megabytes in memory now; 0 where the process is gone. */
function megabytesOf(pid: number): number {
  try {
    const [, kilobytes = '0'] =
      /VmRSS:\s*(\d+)/u.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  } catch {
    return 0; // it has ended
  }
}

/** Waits for the end of a program, kills it where it takes more than so much, and gives the most it took. */
export async function peakMegabytes(program: Process, limit: number): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, megabytesOf(program.pid));
    if (peak > limit) program.kill('SIGKILL');
  }, EVERY_MS);
  await program.ended;
  clearInterval(timer);
  return peak;
}
