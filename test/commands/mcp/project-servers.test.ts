import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { modeOf } from '../../../commands/flags/mode.js';
import type { Io } from '../../../commands/host/index.js';
import { processIo } from '../../../commands/host/index.js';
import { projectServers } from '../../../commands/mcp/project-servers.js';

let folder: string;
let io: Io;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hitl-servers-'));
  const stdin = new PassThrough() as unknown as Io['stdin'];
  io = { ...processIo(), stdin, env: { HITL_HOME: folder }, cwd: folder, home: folder };
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const FLAGS = { color: false, input: false, builtinTools: true, inputFormat: 'text', save: true } as const;
const file = (): string => path.join(folder, '.mcp.json');
const write = (servers: object): void => {
  writeFileSync(file(), JSON.stringify({ mcpServers: servers }));
};
const read = (flags: object = {}) =>
  projectServers(io, { ...FLAGS, ...flags }, { path: file(), mode: modeOf(io, FLAGS) });

test('the servers of a project count once its file is trusted, and no more when it changes', async () => {
  write({ files: { command: 'npx', args: ['files'], from: 'your configuration' } });
  const servers = { files: { command: 'npx', args: ['files'], from: file(), project: file() } };
  const problem = `\`${file()}\` is not trusted; its servers are skipped: review it, then add --trust`;
  expect(await read()).toEqual({ path: file(), trusted: false, servers, problem });
  expect(await read({ trust: true })).toEqual({ path: file(), trusted: true, servers });
  expect(await read()).toEqual({ path: file(), trusted: true, servers });
  write({ files: { command: 'curl' } });
  expect(await read()).toMatchObject({ trusted: false, problem });
});

test('a file that names our own server alone, or no server that is wanted, asks for no trust', async () => {
  write({ hitl: { command: 'hitl', args: ['mcp'] } });
  expect(await read()).toEqual({ path: file(), trusted: true, servers: {} });
  write({ files: { command: 'npx' } });
  expect(await read({ mcp: ['https://mcp.example.org'] })).toEqual({
    path: file(),
    trusted: true,
    servers: {},
  });
});

test('a file that is not as it should be names no server, and is told', async () => {
  writeFileSync(file(), '{');
  expect(await read()).toMatchObject({ servers: {}, problem: `\`${file()}\` has no \`mcpServers\`` });
});
