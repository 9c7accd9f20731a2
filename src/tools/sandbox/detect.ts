import { bubblewrap } from './bubblewrap.js';
import { canSucceed } from './can-succeed.js';
import type { Engine } from './engine.js';
import { guardedProc } from './guarded-proc.js';
import { namespaces } from './namespaces.js';

/** The ability of this system: an engine that was tried, or why there is none. */
export type Detected = { readonly engine: Engine } | { readonly why: string };

/** Finds an engine by running one in earnest: a system may have the program and refuse it the namespaces. */
export async function detectEngine(): Promise<Detected> {
  if (process.platform !== 'linux') return { why: `there is none for ${process.platform}` };
  const candidates = [() => bubblewrap('strict'), () => bubblewrap('plain'), namespaces];
  let found = false;
  for (const candidate of candidates) {
    const engine = await candidate();
    found ||= engine !== undefined;
    if (engine !== undefined && (await works(engine))) return { engine };
  }
  return {
    why: found
      ? 'this system does not let programs make namespaces'
      : 'neither bubblewrap nor unshare of util-linux is installed',
  };
}

/** True where an engine can run a command that is one of the first processes that it sees. */
export async function works(engine: Engine): Promise<boolean> {
  const trial = { program: '/bin/sh', args: ['-c', 'test $$ -lt 100'], cwd: '/', network: false };
  const layout = [{ path: '/tmp', kind: 'fresh' }] as const;
  return canSucceed(await engine.wrap({ ...trial, layout, guarded: await guardedProc() }));
}
