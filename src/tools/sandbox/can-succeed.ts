import { startProgram } from '../../programs/index.js';

import type { Invocation } from './invocation.js';

/** The time that a trial may take, in milliseconds. */
const TRIAL_MS = 5_000;

/** True where a program runs here and ends with status 0, in an environment without anything of the person's. */
export async function canSucceed({ program, args }: Invocation): Promise<boolean> {
  return new Promise((resolve) => {
    const trial = startProgram(
      'sandbox-trial',
      { program, args, env: { PATH: '/usr/bin:/bin' } },
      { stdio: 'ignore', timeout: TRIAL_MS, killSignal: 'SIGKILL' },
    );
    trial.once('error', () => {
      resolve(false);
    });
    trial.once('exit', (status) => {
      resolve(status === 0);
    });
  });
}
