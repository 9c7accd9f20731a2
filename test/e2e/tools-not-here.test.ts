import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passing } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { answers, defineTool, openChat, openStore } from '../../src/index.js';
import { scriptedModel } from '../../src/testing/index.js';
import { Home } from '../helpers/program.js';

const MODEL = ['--model', 'demo'];
const ID = 'of-a-program';

/** A chat of a program in which somebody agreed to `pay`, and `send` is asked about for a second. */
async function ofProgram(home: Home): Promise<void> {
  const store = openStore(home.sessions);
  const pay = defineTool({ name: 'pay', description: 'Pays.', needsApproval: true }, () => 'paid');
  const deadline = { timeout: '1s', onTimeout: 'cancel' } as const;
  const send = defineTool(
    { name: 'send', description: 'Sends.', needsApproval: true, deadline },
    () => 'sent',
  );
  const tools = ['pay', 'send'].map((name) => ({ name, input: {} }));
  const chat = await openChat({ store, id: ID, model: scriptedModel([{ tools }]), tools: [pay, send] });
  await chat.say('Pay and tell');
  const [question] = chat.open;
  await chat.close();
  await store.post(chat.id, answers.restart(question!));
}

async function calls(home: Home): Promise<readonly string[] | undefined> {
  const store = openStore(home.sessions);
  await using session = await store.open(await store.resolve(ID), 'read');
  return session.state.open?.calls.map(({ state }) => state.status);
}

test('`hitl tick` keeps what is due, and leaves to its program what was agreed to', async () => {
  using home = new Home();
  await ofProgram(home);
  await passing(1_100);
  const { status, stdout, stderr } = await home.run(['tick', ...MODEL]);
  expect(stdout).toBe(`${ID}  failed: its tools belong to another program  Pay and tell\n`);
  expect(stderr).toContain('hint: resume it in that program, or specify its tool module: --tools <module>');
  expect([status, await calls(home)]).toEqual([2, ['ready', 'settled']]);
  expect(await home.run(['tick', ...MODEL])).toMatchObject({ status: 0, stdout: '' });
});

test('`hitl resume` starts nothing without the tool of what was agreed to, and goes on with it', async () => {
  using home = new Home();
  const file = (name: string, text: string): string => {
    writeFileSync(join(home.path, name), text);
    return join(home.path, name);
  };
  const tools = file(
    'tools.mjs',
    `import { defineTool } from 'hitl';
export default [defineTool({ name: 'pay', description: 'Pays.', needsApproval: true }, () => 'paid')];`,
  );
  const script = file('model.jsonl', '{"tools":[{"name":"pay","input":{}}]}\n{"text":"done"}\n');
  await home.run(['chat', '-p', 'pay', '--tools', tools, '--trust', '--model', `script:${script}`]);
  await home.run(['answer', home.id, 'y', '--digest', home.digest()]);
  const { length } = home.events();
  const without = await home.run(['resume', home.id, '--no-input', '--deny-tool', 'pay']);
  expect(without.stderr).toContain(
    'error: missing tool: `pay`; nothing ran, and approvals still stand\nhint: load them with --tools or --mcp, or resume in the program that has them\n',
  );
  expect([without.status, home.events().length]).toEqual([2, length]);
  const withIt = await home.run(['resume', home.id, '--no-input']);
  expect(withIt).toMatchObject({ status: 0, stdout: 'done\n' });
});
