import { execFile } from 'node:child_process';

import type { Invocation } from './invocation.js';

/** The time that a trial may take, in milliseconds. */
const TRIAL_MS = 5_000;

/** True where a program runs here and ends with status 0, in an environment without anything of the person's. */
export async function canSucceed({ program, args }: Invocation): Promise<boolean> {
  const options = { env: { PATH: '/usr/bin:/bin' }, timeout: TRIAL_MS, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve) => {
    execFile(program, args, options, (error) => {
      resolve(error === null);
    });
  });
}
