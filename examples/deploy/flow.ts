import { appendFile } from 'node:fs/promises';
import { workflow } from 'hitl';
import * as z from 'zod';

/** What was done to the hosts: a file, so that this runs without any. */
const log = process.env['DEPLOY_LOG'] ?? 'deployed.txt';

const tell = (line: string): Promise<void> => appendFile(log, `${line}\n`);

// One host after the other, with a person who says whether it is well; what was done is taken back, the newest first,
// where one is not.
export default workflow(
  'deploy',
  { input: z.object({ hosts: z.array(z.string()) }) },
  async (ctx, { hosts }) => {
    const { version } = await ctx.ask('version', {
      prompt: 'Which version goes out?',
      schema: z.object({ version: z.string() }),
    });
    const undo: (() => Promise<void>)[] = [];
    try {
      for (const host of hosts) {
        await ctx.step('deploy', () => tell(`deploy ${version} to ${host}`), { of: host, timeout: '60s' });
        undo.push(() => ctx.step('roll back', () => tell(`roll back ${host}`), { of: host }));
        const healthy = await ctx.ask('healthy', { prompt: `Is ${host} healthy?`, schema: z.boolean() });
        if (!healthy) throw new Error(`${host} is sick`);
      }
      return `deployed ${version} to ${hosts.join(', ')}`;
    } catch (error) {
      for (const back of undo.reverse()) await back();
      return `rolled back: ${error instanceof Error ? error.message : String(error)}`;
    }
  },
);
