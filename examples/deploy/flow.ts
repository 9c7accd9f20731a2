import type { WorkflowContext } from 'hitl';
import { workflow } from 'hitl';
import { appendFile } from 'node:fs/promises';
import * as z from 'zod';

/** What was done to the hosts: a file, so that this runs without any. */
const log = process.env['DEPLOY_LOG'] ?? 'deployed.txt';

const tell = (line: string): Promise<void> => appendFile(log, `${line}\n`);

/** Puts a version on hosts at once, and gives those that failed: one of them stops no other. */
const batch = workflow(
  'batch',
  { input: z.object({ version: z.string(), hosts: z.array(z.string()) }) },
  async (ctx, { version, hosts }) => {
    const deploy = (host: string) => (at: WorkflowContext) =>
      at.step('deploy', () => tell(`deploy ${version} to ${host}`), { of: host, timeout: '60s' });
    const ends = await ctx.settled('hosts', Object.fromEntries(hosts.map((host) => [host, deploy(host)])));
    return hosts.filter((host) => ends[host]?.status === 'rejected');
  },
);

// A person lets each batch begin, and says whether it is well. Where one is not, every host that was touched goes back,
// the newest first.
export default workflow(
  'deploy',
  {
    input: z.object({ hosts: z.array(z.string()), size: z.number().int().positive().default(2) }),
    operations: ['batch', 'roll back'],
    gates: { batch: 'before' },
  },
  async (ctx, { hosts, size }) => {
    const { version } = await ctx.ask('version', {
      prompt: 'Which version goes out?',
      schema: z.object({ version: z.string() }),
    });
    const touched: string[] = [];
    try {
      for (let at = 0; at < hosts.length; at += size) {
        const next = hosts.slice(at, at + size);
        const failed = await ctx.call(batch, { version, hosts: next }); // throws where the gate says no
        touched.push(...next);
        if (failed.length > 0) throw new Error(`${failed.join(', ')} failed`);
        const prompt = `Are ${next.join(', ')} healthy?`;
        const isHealthy = await ctx.ask('healthy', { prompt, schema: z.boolean() });
        if (!isHealthy) throw new Error(`${next.join(', ')} are sick`);
      }
      return `deployed ${version} to ${hosts.join(', ')}`;
    } catch (error) {
      for (const host of touched.reverse())
        await ctx.step('roll back', () => tell(`roll back ${host}`), { of: host });
      return `rolled back: ${error instanceof Error ? error.message : String(error)}`;
    }
  },
);
