import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';

/** A home in which the tour was offered before, with a session that waits in its folder for work. */
async function withSession(): Promise<Home> {
  const home = new Home();
  mkdirSync(join(home.path, 'sessions'), { recursive: true });
  writeFileSync(join(home.path, 'tour-offered'), '');
  await home.run(['chat', '-p', 'Transfer 300 to DEF456'], { cwd: home.work });
  return home;
}

test('`hitl` alone at a terminal offers the session of the folder that waits, and goes on with it', async () => {
  using home = await withSession();
  await home.run(['chat', '-p', 'Hello'], { cwd: home.work });
  using screen = new Terminal(home, [], { PWD: home.work, CI: '' });
  await screen.until('Continue “Transfer 300 to DEF456” (just now, 1 open question)?');
  await screen.press('y');
  await screen.until('Approve this call?');
  expect(screen.shown).toContain('Transfer 300 to DEF456 · 1 turn');
});

test('`hitl` alone ends where the person says no, and offers nothing in another folder or without a terminal', async () => {
  using home = await withSession();
  using screen = new Terminal(home, [], { PWD: home.work, CI: '' });
  await screen.until('Continue “Transfer 300 to DEF456”');
  await screen.press('n');
  expect(await screen.ended).toBe(0);
  using elsewhere = new Terminal(home, [], { PWD: home.path, CI: '' });
  expect(await elsewhere.ended).toBe(0);
  expect(elsewhere.shown).not.toContain('Continue “');
  const piped = await home.run([], { cwd: home.work });
  expect([piped.status, piped.stdout]).toEqual([0, expect.stringContaining('hitl <command> --help')]);
  expect(piped.stdout + piped.stderr).not.toContain('Continue “');
});
