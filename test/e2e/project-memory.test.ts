import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { sha256 } from '../../src/core/index.js';
import { Home } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';

const memoriesOf = (home: Home) =>
  home.events().flatMap(({ type, agent }) => {
    const { memory } = (agent ?? {}) as { readonly memory?: unknown };
    return ['session-created', 'agent-changed'].includes(String(type)) ? [memory] : [];
  });

test('a session keeps which words of the project it was told, and a resume says where they are others', async () => {
  using home = new Home();
  const file = join(home.work, 'AGENTS.md');
  const at = { cwd: home.work };
  writeFileSync(file, 'Be kind.\n');
  const left = await home.run(['chat', '--model', 'demo', '-p', 'hi'], at);
  expect([left.status, left.stderr]).toEqual([
    0,
    expect.stringContaining('AGENTS.md is not trusted, so the model does not get it'),
  ]);
  expect(memoriesOf(home)).toEqual([undefined]);
  const told = await home.run(['resume', '--last', '--trust'], { ...at, input: 'more\n' });
  expect(told.stderr).toContain('the model now gets this folder’s AGENTS.md');
  writeFileSync(file, 'Be brief.\n');
  const again = await home.run(['resume', '--last', '--trust'], { ...at, input: 'more\n' });
  expect([told.status, again.status]).toEqual([0, 0]);
  expect(again.stderr).toContain('AGENTS.md has changed since this session last ran');
  const kept = (text: string) => ({ file: 'AGENTS.md', sha256: sha256(text) });
  expect(memoriesOf(home)).toEqual([undefined, kept('Be kind.\n'), kept('Be brief.\n')]);
});

test('the words reach the model behind the system prompt of the person', async () => {
  using home = new Home();
  writeFileSync(join(home.work, 'AGENTS.md'), 'Be kind.\n');
  const sent: unknown[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => void pieces.push(piece));
    request.on('end', () => {
      sent.push(JSON.parse(Buffer.concat(pieces).toString()));
      response.writeHead(400).end('{"type":"error","error":{"type":"invalid_request_error","message":"no"}}');
    });
  });
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  try {
    const { port } = server.address() as AddressInfo;
    const at = ['--model', 'anthropic:any', '--base-url', `http://127.0.0.1:${port}`];
    const args = ['chat', ...at, '--system', 'Be terse.', '--trust', '-p', 'hi'];
    await home.runAlone(args, { cwd: home.work });
  } finally {
    server.close();
  }
  const mark = sha256('Be kind.\n').slice(0, 32);
  const { system } = sent[0] as { readonly system: unknown };
  expect(JSON.stringify(system)).toContain('Be terse.\\n\\nThe working folder has a file AGENTS.md');
  expect(JSON.stringify(system)).toContain(`Be kind.\\n</project-words mark=\\"${mark}\\">`);
});

test('a person is asked before the model gets them; the first row names them, and /memory shows them', async () => {
  using home = new Home();
  writeFileSync(join(home.work, 'AGENTS.md'), 'Be kind.\n');
  using screen = new Terminal(home, ['chat', '--model', 'demo'], { PWD: home.work });
  await screen.until('Trust and load?');
  expect(screen.shown).toContain('instructions for the model, 1 line; they cannot allow anything');
  await screen.press('y');
  await screen.until(' · AGENTS.md · /help');
  screen.type('/memory');
  await screen.until('AGENTS.md, as sent to the model:\n  Be kind.');
});
