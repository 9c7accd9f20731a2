import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { sha256 } from '../../src/core/index.js';
import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';
import { scriptModel } from '../helpers/tool-module.js';

const memoriesOf = (home: Home) =>
  home.events().flatMap(({ type, agent }) => {
    const { memory } = (agent ?? {}) as { readonly memory?: unknown };
    return ['session-created', 'agent-changed'].includes(String(type)) ? [memory] : [];
  });

test('a session keeps which words of the project it was told, and a resume says where they are others', async () => {
  using home = new Home();
  const file = join(home.work, 'AGENTS.md');
  const model = scriptModel(home, [{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
  const at = { cwd: home.work };
  writeFileSync(file, 'Be kind.\n');
  const left = await home.run(['chat', '--model', model, '-p', 'hi'], at);
  expect([left.status, left.stderr]).toEqual([
    0,
    expect.stringContaining('AGENTS.md is not trusted, so the model does not get it'),
  ]);
  expect(memoriesOf(home)).toEqual([undefined]);
  const told = await home.run(['resume', '--last', '-p', '--trust', 'more'], at);
  expect(told.stderr).toContain('the model now also gets AGENTS.md of this folder');
  writeFileSync(file, 'Be brief.\n');
  const again = await home.run(['resume', '--last', '-p', '--trust', 'more'], at);
  expect([told.status, again.status]).toEqual([0, 0]);
  expect(again.stderr).toContain('AGENTS.md has changed since this session last ran');
  const kept = (text: string) => ({ file: 'AGENTS.md', sha256: sha256(text) });
  expect(memoriesOf(home)).toEqual([undefined, kept('Be kind.\n'), kept('Be brief.\n')]);
});

test('a person is asked before the model gets them; the first row names them, and /memory shows them', async () => {
  using home = new Home();
  writeFileSync(join(home.work, 'AGENTS.md'), 'Be kind.\n');
  using screen = new Terminal(home, ['chat', '--model', 'demo'], { PWD: home.work });
  await screen.until('Trust and load?');
  expect(screen.shown).toContain('instructions to the model, 1 line; they cannot allow anything');
  await screen.press('y');
  await screen.until(' · AGENTS.md · /help');
  screen.type('/memory');
  await screen.until('AGENTS.md, as the model gets it:\n  Be kind.');
});
