import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { Home, lines, PROGRAM } from '../helpers/program.js';

/** Another agent, which has `hitl mcp` in its configuration. */
async function agentIn(home: Home, said: string[] = []): Promise<Client> {
  const client = new Client({ name: 'codex', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
  const args = [PROGRAM, 'mcp', '--wait', '50s'];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: home.env,
    cwd: home.work,
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (text) => {
    said.push(String(text));
  });
  await client.connect(transport);
  return client;
}

test('another agent asks by `hitl mcp`, a person sees it in the inbox and answers, and the agent gets the answer, which names what it is about (connect 3, adopter 10)', async () => {
  using home = new Home();
  const said: string[] = [];
  const agent = await agentIn(home, said);
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
  const answered = await home.run(['answer', id, 'y', '--digest', home.digest('i1', id)]);
  expect(answered).toMatchObject({
    status: 0,
    stderr: `Approved: codex in ${home.work} wants to: deploy 2.1\nThe program that asked receives the answer.\n`,
  });
  await expect
    .poll(() => given, { timeout: 60_000 })
    .toEqual([
      { id, status: 'approved', action: 'deploy 2.1', input: expect.stringMatching(/^[0-9a-f]{64}$/u) },
    ]);
  const again = await agent.callTool({ name: 'check_answer', arguments: { id } });
  expect(again.structuredContent).toMatchObject({ id, status: 'used', action: 'deploy 2.1' });
  await agent.close();
  expect(said).toEqual([]);
  expect((await home.run(['list', '--json'])).stdout).toContain('"status": "done"');
});

test('an agent with a model asks by `hitl mcp`, nothing it has can answer, and it goes on with what the person said', async () => {
  using home = new Home();
  const told = join(home.work, 'told');
  const hitl = {
    command: process.execPath,
    args: [PROGRAM, 'mcp', '--wait', '50s'],
    env: { HITL_HOME: home.path },
  };
  const notify = [
    process.execPath,
    '-e',
    `process.stdin.pipe(require('fs').createWriteStream(${JSON.stringify(told)}))`,
  ];
  writeFileSync(join(home.path, 'config.json'), JSON.stringify({ mcpServers: { hitl }, notify }));
  const replies = [
    { tools: [{ name: 'hitl__ask_human', input: { question: 'Which region?' } }] },
    { text: 'Done.' },
  ];
  writeFileSync(join(home.work, 's.jsonl'), lines(...replies.map((reply) => JSON.stringify(reply))));
  const words = ['chat', '-m', 'script:s.jsonl', '--allow', 'hitl__ask_human', '-p', 'go'];
  const agent = home.run(words, { cwd: home.work });
  const waiting = async () => /ask-\w+/u.exec((await home.run(['inbox'])).stdout)?.[0] ?? '';
  await expect.poll(waiting, { timeout: 60_000 }).toMatch(/^ask-/u);
  const id = await waiting();
  expect((await home.run(['answer', id, 'eu'])).status).toBe(0);
  const { status, stdout } = await agent;
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'Done.\n' });
  const { tools } = JSON.parse(
    (await home.run(['mcp', 'test', 'hitl', '--json'], { cwd: home.work })).stdout,
  )[0];
  expect(tools.map(({ name }: { name: string }) => name.replace('hitl__', '')).sort()).toEqual([
    'ask_human',
    'check_answer',
    'list_waiting',
    'request_approval',
  ]);
  expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject({
    session: id,
    asked: expect.stringMatching(/^hitl in \S+ asks: Which region\?$/u),
  });
});
