// `hitl acp` from start to end: an editor, the program as it is built, and other terminals.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { Editor } from '../helpers/editor.js';
import { Home } from '../helpers/program.js';
import { payModule, scriptModel } from '../helpers/tool-module.js';

const ASKS = { members: "needsApproval: true, approval: () => ({ facts: { account: 'main' } })," };
const PAY = { text: 'I pay.', tools: [{ name: 'pay', input: { to: 'Bob', amount: 5 } }] };

/** A home whose model pays, and then says that it is done. */
function paying() {
  const home = new Home();
  const { module, paid } = payModule(home, ASKS);
  const model = scriptModel(home, [PAY, { text: 'Done.' }]);
  return { home, paid, args: ['-m', model, '-t', module] };
}

test('a work of ten calls: reads, a plan, edits in a dialog, a mode that needs none, and commands', async () => {
  using home = new Home();
  writeFileSync(join(home.work, 'a.txt'), 'one\ntwo\n');
  const edit = (oldText: string, newText: string) => ({
    name: 'edit_file',
    input: { path: 'a.txt', oldText, newText },
  });
  const replies = [
    { tools: [{ name: 'todo', input: { items: [{ text: 'look', state: 'doing' }] } }] },
    {
      tools: [
        { name: 'list_files', input: {} },
        { name: 'read_file', input: { path: 'a.txt' } },
      ],
    },
    { tools: [{ name: 'search_files', input: { pattern: 'two' } }] },
    { tools: [edit('two', 'three')] },
    { tools: [edit('three', 'four')] },
    { text: 'Edited.' },
    { tools: [edit('four', 'five'), { name: 'write_file', input: { path: 'b.txt', content: 'b\n' } }] },
    {
      tools: [
        { name: 'read_file', input: { path: 'b.txt' } },
        { name: 'list_files', input: {} },
      ],
    },
    { text: 'All of it.' },
  ];
  await using editor = await Editor.open(home, { args: ['-m', scriptModel(home, replies)] });
  const id = await editor.session(home.work);
  const turn = editor.prompt(id, 'edit it');
  const first = await editor.dialog();
  expect(first.params.toolCall).toMatchObject({
    kind: 'edit',
    title: expect.stringContaining('Edit a.txt'),
    locations: [{ path: join(home.work, 'a.txt') }],
    content: [{ type: 'diff', oldText: 'one\ntwo\n', newText: 'one\nthree\n' }, { type: 'content' }],
  });
  first.choose('y');
  const second = await editor.dialog();
  expect(readFileSync(join(home.work, 'a.txt'), 'utf8')).toBe('one\nthree\n');
  second.choose('n');
  expect(await turn).toEqual({ stopReason: 'end_turn' });
  await editor.agent.request('session/set_mode', { sessionId: id, modeId: 'accept-edits' });
  // The edit does not fit any more, as the file was not changed: the model is told, and nobody is asked.
  expect(await editor.prompt(id, 'and now without me')).toEqual({ stopReason: 'end_turn' });
  expect(readFileSync(join(home.work, 'b.txt'), 'utf8')).toBe('b\n');
  const ends = editor.updates.flatMap((update) =>
    update.sessionUpdate === 'tool_call_update' &&
    (update.status === 'completed' || update.status === 'failed')
      ? [update.status]
      : [],
  );
  expect(ends).toEqual([
    ...['completed', 'completed', 'completed', 'completed', 'completed', 'failed'],
    ...['failed', 'completed', 'completed', 'completed'],
  ]);
  expect(editor.updates).toContainEqual({
    sessionUpdate: 'current_mode_update',
    currentModeId: 'accept-edits',
  });
  expect(editor.updates).toContainEqual({
    sessionUpdate: 'plan',
    entries: [{ content: 'look', priority: 'medium', status: 'in_progress' }],
  });
  expect(editor.said).toBe('Edited.All of it.');
  const why = await home.run(['why', id]);
  expect(why.stdout).toContain('in an editor');
});

test('an answer from another terminal ends the dialog, and the late one of the editor is ignored and told', async () => {
  const { home, paid, args } = paying();
  using _home = home;
  await using editor = await Editor.open(home, { args });
  const id = await editor.session(home.work);
  const turn = editor.prompt(id, 'pay');
  const dialog = await editor.dialog();
  expect(JSON.stringify(dialog.params.toolCall.content)).toContain('account: main');
  const answered = await home.run(['answer', id, 'n too much', '--digest', home.digest('i1', id)]);
  expect(answered.status).toBe(0);
  expect(await turn).toEqual({ stopReason: 'end_turn' });
  expect(dialog.signal.aborted).toBe(true);
  dialog.choose('y');
  await expect.poll(() => editor.said).toContain('Ignored: your answer to i1 came too late.');
  expect(editor.said).toContain('Answered elsewhere by');
  expect(paid()).toEqual([]);
});

test('kill -9 between question and answer: the session is loaded, asks again, and pays once', async () => {
  const { home, paid, args } = paying();
  using _home = home;
  const first = await Editor.open(home, { args });
  const id = await first.session(home.work);
  first.prompt(id, 'pay').catch(() => undefined);
  await first.dialog();
  await first.kill();
  await using editor = await Editor.open(home, { args: args.slice(0, 2) });
  const other = join(home.work, 'sub');
  mkdirSync(other);
  await expect(
    editor.agent.request('session/load', { sessionId: id, cwd: other, mcpServers: [] }),
  ).rejects.toThrow(`session ${id} does not belong to this folder`);
  await editor.agent.request('session/load', { sessionId: id, cwd: home.work, mcpServers: [] });
  expect(editor.updates.slice(0, 3)).toMatchObject([
    { sessionUpdate: 'user_message_chunk', content: { text: 'pay' } },
    { sessionUpdate: 'agent_message_chunk', content: { text: 'I pay.' } },
    { sessionUpdate: 'tool_call', title: 'pay  Bob, 5' },
  ]);
  const dialog = await editor.dialog();
  await using second = await Editor.open(home, { args: args.slice(0, 2) });
  await expect(
    second.agent.request('session/load', { sessionId: id, cwd: home.work, mcpServers: [] }),
  ).rejects.toThrow(`in use by process ${editor.pid}`);
  dialog.choose('y');
  await expect.poll(() => editor.said).toContain('Done.');
  expect(paid()).toEqual([{ to: 'Bob', amount: 5 }]);
});

test('cancel stops as Ctrl-C does: the question stays open, and is asked again before the next message', async () => {
  const { home, paid, args } = paying();
  using _home = home;
  await using editor = await Editor.open(home, { args });
  const id = await editor.session(home.work);
  const turn = editor.prompt(id, 'pay');
  const dialog = await editor.dialog();
  await expect(editor.prompt(id, 'and more')).rejects.toThrow('still working on the last message');
  await editor.agent.notify('session/cancel', { sessionId: id });
  expect(await turn).toEqual({ stopReason: 'cancelled' });
  dialog.choose('y');
  expect((await home.run(['inbox'])).stdout).toContain('pay');
  const next = editor.prompt(id, '/status');
  (await editor.dialog()).choose('n');
  expect(await next).toEqual({ stopReason: 'end_turn' });
  expect(editor.said).toContain(id);
  expect(paid()).toEqual([]);
});

test('what a tool module prints does not break the protocol, and a question that asks for text is a form', async () => {
  using home = new Home();
  const module = join(home.path, 'loud.mjs');
  writeFileSync(
    module,
    `console.log('loaded');
export const loud = { name: 'loud', description: 'Prints.', input: { type: 'object' }, effect: 'none',
  execute() { console.log('{"jsonrpc":"2.0","id":1,"result":{}}'); process.stdout.write('raw'); return 'quiet'; } };`,
  );
  const ask = { tools: [{ name: 'ask_user', input: { question: 'Which region?' } }] };
  const model = scriptModel(home, [{ tools: [{ name: 'loud', input: {} }] }, ask, { text: 'Thanks.' }, ask]);
  await using editor = await Editor.open(home, {
    args: ['-m', model, '-t', module, '--yes', 'loud'],
    capabilities: { elicitation: { form: {} } },
  });
  const id = await editor.session(home.work);
  const turn = editor.prompt(id, 'go');
  const { params, answer } = await editor.form();
  expect(params).toMatchObject({ sessionId: id, message: expect.stringContaining('Which region?') });
  answer({ action: 'accept', content: { answer: 'eu' } });
  expect(await turn).toEqual({ stopReason: 'end_turn' });
  expect(editor.said).toBe('Thanks.');
  expect(editor.stderr).toContain('loaded\n{"jsonrpc":"2.0","id":1,"result":{}}\nraw');
});

test('who may not decide a question at a terminal may not in an editor, and everything else says where it waits', async () => {
  using home = new Home();
  const module = join(home.path, 'people.mjs');
  const rules = {
    named: "{ from: ['nobody-here'] }",
    others: '{ notRequester: true }',
    two: '{ need: 2 }',
  };
  const tools = Object.entries(rules).map(
    ([name, approvers]) =>
      `export const ${name} = { name: '${name}', description: 'Pays.', input: { type: 'object' }, effect: 'once',
  needsApproval: true, approvers: ${approvers}, execute() { throw new Error('it ran'); } };`,
  );
  writeFileSync(module, tools.join('\n'));
  const calls = Object.keys(rules).map((name) => ({ name, input: {} }));
  await using editor = await Editor.open(home, {
    args: ['-m', scriptModel(home, [{ tools: calls }]), '-t', module],
  });
  const id = await editor.session(home.work);
  const turn = editor.prompt(id, 'go');
  for (let count = 0; count < calls.length * 3; count += 1) {
    const { params, choose } = await editor.dialog();
    expect(params.options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once']);
    choose('y');
  }
  await expect.poll(() => editor.said.split('Waiting for an answer to').length - 1).toBe(3);
  await editor.agent.notify('session/cancel', { sessionId: id });
  expect(await turn).toEqual({ stopReason: 'cancelled' });
  expect(
    home
      .events(id)
      .filter(({ type }) => type === 'interrupt-resolved' || type === 'vote-cast' || type === 'tool-started'),
  ).toEqual([]);
});

test('G26: an editor that hangs up while a tool does not stop ends the program, and the call is in doubt', async () => {
  const { home, args } = paying();
  using _home = home;
  const editor = await Editor.open(home, { args: [...args, '--yes', 'pay'], env: { PAY: 'hang-before' } });
  const id = await editor.session(home.work);
  editor.prompt(id, 'pay').catch(() => undefined);
  await expect.poll(() => editor.stderr).toContain('PAYING');
  await editor[Symbol.asyncDispose]();
  expect(await editor.ended).toEqual([0, null]);
  const { status, stdout } = await home.run(['resume', id, '--json']);
  expect(status).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ interrupts: [{ kind: 'in-doubt', source: { name: 'pay' } }] });
});
