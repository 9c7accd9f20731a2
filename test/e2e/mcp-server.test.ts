import { expect, test } from 'vitest';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { Home, PROGRAM } from '../helpers/program.js';

/** Another agent, which has `hitl mcp` in its configuration. */
async function agentIn(home: Home): Promise<Client> {
  const client = new Client({ name: 'codex', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  const args = [PROGRAM, 'mcp', '--wait', '20s'];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: home.env,
    cwd: home.work,
  });
  await client.connect(transport);
  return client;
}

test('another agent asks by `hitl mcp`, a person sees it in the inbox and answers, and the agent gets the answer', async () => {
  using home = new Home();
  const agent = await agentIn(home);
  const shown = new Promise<string>((resolve) => {
    const onprogress = ({ message = '' }: { message?: string | undefined }) => {
      resolve(message);
    };
    void agent
      .callTool({ name: 'request_approval', arguments: { action: 'deploy 2.1' } }, { onprogress })
      .then(({ structuredContent }) => {
        given.push(structuredContent);
      });
  });
  const given: unknown[] = [];
  const id = /ask-\w+/u.exec(await shown)?.[0] ?? '';
  const inbox = await home.run(['inbox']);
  expect(inbox.stdout).toContain(`codex in ${home.work} wants to: deploy 2.1`);
  expect((await home.run(['answer', id, 'y'])).status).toBe(0);
  await expect.poll(() => given, { timeout: 10_000 }).toEqual([{ id, status: 'approved' }]);
  await agent.close();
  expect((await home.run(['list', '--json'])).stdout).toContain('"status": "done"');
});
