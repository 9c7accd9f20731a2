// What else one would type the name of is chosen from a list, where there are keys.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';
import { scriptModel } from '../helpers/tool-module.js';

async function leave(terminal: Terminal): Promise<void> {
  await terminal.press('\u0004');
  await terminal.ended;
}

const agentsOf = (home: Home): readonly unknown[] =>
  home.events().flatMap(({ type, agent }) => (type === 'agent-changed' ? [agent] : []));

describe.skipIf(process.platform === 'win32')('a list in the place of a name', () => {
  test('`/effort` and `/mode` offer what there is, and Esc changes nothing', async () => {
    using home = new Home();
    writeFileSync(join(home.path, 'config.json'), '{"models":{"fast":"demo"}}');
    using terminal = new Terminal(home, ['chat', '--model', 'demo', 'hello'], { PWD: home.work });
    await terminal.until('\n>');
    terminal.type('/effort');
    await terminal.until('Which effort?');
    expect(terminal.shown).toMatch(
      /effort: the model’s default\n {2}1\. low\n {2}2\. medium\n {2}3\. high\n/u,
    );
    await terminal.press('3');
    await terminal.until(/\n> *\n/u);
    terminal.type('/mode');
    await terminal.until('Which mode?');
    expect(terminal.shown).toMatch(
      /mode ask: asks .+\n {2}1\. read-only: denies .+\n {2}2\. ask: asks .+\n {2}3\. accept-edits: .+\n {2}4\. auto: /u,
    );
    await terminal.press('3');
    await terminal.until('mode accept-edits: changes files here');
    terminal.type('/mode');
    await terminal.until(/Which mode\?[^]*Which mode\?|Which mode\?/u);
    await terminal.press('\u001b');
    await leave(terminal);
    expect(agentsOf(home)).toMatchObject([{ effort: 'high' }, { effort: 'high', mode: 'accept-edits' }]);
  });

  test('`/model` offers the aliases of the configuration first', async () => {
    using home = new Home();
    writeFileSync(join(home.path, 'config.json'), '{"models":{"quick":"demo"}}');
    const model = scriptModel(home, [{ text: 'I am the first one.' }]);
    using terminal = new Terminal(home, ['chat', '--model', model, 'hello'], { PWD: home.work });
    await terminal.until('I am the first one.');
    await terminal.until('\n>');
    terminal.type('/model');
    await terminal.until('Which model?');
    expect(terminal.shown).toMatch(/ {2}1\. quick {2}demo\n/u);
    await terminal.press('1', '\r');
    await terminal.until('continues with quick');
    await leave(terminal);
    expect(agentsOf(home)).toMatchObject([{ model: 'quick' }]);
  });

  test('`/rules remove` offers the approvals of the session', async () => {
    using home = new Home();
    using terminal = new Terminal(home, ['chat', 'Transfer 200 to ABC123'], { PWD: home.work });
    await terminal.until('Approve this call?');
    await terminal.press('w');
    await terminal.until('Don’t ask again');
    await terminal.press('t', 't');
    await terminal.until('Transferred 200');
    await terminal.until('\n>');
    terminal.type('/rules remove');
    await terminal.until('Which approval?');
    await terminal.press('1');
    await terminal.until(/\n> *\n/u);
    terminal.type('/rules');
    await terminal.until('No standing approvals in this session');
    await leave(terminal);
    expect(home.events().map(({ type }) => type)).toContain('rule-removed');
  });

  test('`hitl resume` without an id offers the sessions, found by words', async () => {
    using home = new Home();
    for (const text of ['What is my balance?', 'Transfer 300 to DEF456'])
      await home.run(['chat', '-p', text], { cwd: home.work });
    using terminal = new Terminal(home, ['resume'], { PWD: home.work });
    await terminal.until('What is my balance?');
    expect(terminal.shown).toMatch(/waiting\(1\) .*Transfer 300[^]*done .*What is my balance/u);
    await terminal.press('b', 'a', 'l');
    await terminal.until(/Which session\? bal\n(?![^]*Transfer 300)/u);
    await terminal.press('\r');
    await terminal.until('What is my balance? · 1 turn');
    await leave(terminal);
  });
});
