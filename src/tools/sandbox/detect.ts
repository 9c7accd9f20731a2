import type { Bubblewrap } from './bubblewrap.js';
import { bubblewrap } from './bubblewrap.js';
import { canSucceed } from './system-program.js';
import { guardedProc, systemMounts } from './system-places.js';

/** The ability of this system: a sandbox that was tried, or why there is none. */
export type Detected = { readonly sandbox: Bubblewrap } | { readonly why: string };

/** Finds a sandbox by running one in earnest: a system may have the program and refuse it the namespaces. */
export async function detectSandbox(): Promise<Detected> {
  if (process.platform !== 'linux') return { why: `there is none for ${process.platform}` };
  let found = false;
  for (const kind of ['strict', 'plain'] as const) {
    const sandbox = await bubblewrap(kind);
    found ||= sandbox !== undefined;
    if (sandbox !== undefined && (await works(sandbox))) return { sandbox };
  }
  return {
    why: found
      ? 'this system does not let bubblewrap make namespaces'
      : 'bubblewrap is not installed: apt, dnf or pacman install bubblewrap',
  };
}

/** True where a command can run in a sandbox and is one of the first processes that it sees. */
export async function works(sandbox: Bubblewrap): Promise<boolean> {
  const trial = { program: '/bin/sh', args: ['-c', 'test $$ -lt 100'], cwd: '/', network: false };
  const layout = await systemMounts();
  return canSucceed(await sandbox.wrap({ ...trial, layout, guarded: await guardedProc() }));
}
