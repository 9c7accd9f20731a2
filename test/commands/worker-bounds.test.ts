import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { RunFlags } from '../../commands/flags/options.js';
import type { Io } from '../../commands/host/index.js';
import { processIo } from '../../commands/host/index.js';
import { servedBy, servedFolders } from '../../commands/running/worker-bounds.js';
import type { AgentFingerprint, Call, RunState } from '../../src/core/index.js';
import { emptyState } from '../../src/core/index.js';

type Served = Awaited<ReturnType<typeof servedBy>>;

let root: string;
let io: Io;
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'hitl-bounds-')));
  for (const folder of ['work/sub', 'other', 'home']) mkdirSync(path.join(root, folder), { recursive: true });
  symlinkSync(path.join(root, 'other'), path.join(root, 'work/link'));
  for (const file of ['work/tools.mjs', 'other/tools.mjs']) writeFileSync(path.join(root, file), '');
  io = {
    ...processIo(),
    env: { HITL_HOME: path.join(root, 'home') },
    cwd: path.join(root, 'work'),
    home: path.join(root, 'home'),
  };
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const at = (name: string): string => path.join(root, name);

const FLAGS = { color: false, input: false, builtinTools: true, inputFormat: 'text', save: true } as const;

/** What a worker in `work` says of a session. */
async function served(
  { cwd, agent, calls = [] }: { cwd?: string; agent?: Partial<AgentFingerprint>; calls?: readonly unknown[] },
  { folder, ...flags }: Partial<RunFlags> & { readonly folder?: readonly string[] } = {},
): Promise<Served> {
  const state = {
    ...emptyState(),
    cwd: cwd === undefined ? at('work') : at(cwd),
    agent: { model: 'demo', tools: [], ...agent },
    open: { calls },
  } as unknown as RunState;
  return servedBy(io, { ...FLAGS, ...flags }, servedFolders(io, folder), state);
}

const callOf = (name: string, input: object, status = 'ready'): Call =>
  ({ request: { name, ref: 'c' }, input, state: { status } }) as unknown as Call;

describe('a worker', () => {
  test('serves its folder and what lies below it, and a folder that is not here as its own', async () => {
    expect([await served({}), await served({ cwd: 'work/sub' }), await served({ cwd: 'gone' })]).toEqual([
      { cwd: at('work') },
      { cwd: at('work/sub') },
      { cwd: at('work') },
    ]);
  });

  test.for(['other', 'work/link', 'work/link/../../other'])('serves no folder elsewhere: %s', async (cwd) => {
    const whole = path.join(root, cwd);
    expect(await served({ cwd })).toEqual({
      why: `its folder \`${whole}\` is outside the folders served here`,
    });
    expect(await served({ cwd }, { folder: ['../other'] })).toEqual({ cwd: whole });
  });

  test.for([{ modules: 'other/tools.mjs' }, { modules: 'work/link/tools.mjs' }, { flow: 'other/tools.mjs' }])(
    'loads nothing elsewhere: %j',
    async ({ modules, flow }) => {
      const named = at(modules ?? flow);
      const agent = modules === undefined ? { flow: named } : { modules: [named] };
      expect([
        await served({ agent }),
        await served({ agent }, { trust: true }),
        await served({ agent }, { folder: ['../other'] }),
      ]).toEqual([
        { why: `\`${named}\` is outside the folders served here` },
        { why: `\`${named}\` is outside the folders served here` },
        { cwd: at('work') },
      ]);
    },
  );

  test('loads modules below its folder, and its own in the place of a session’s', async () => {
    expect([
      await served({ agent: { modules: [at('work/tools.mjs')] } }),
      await served({ agent: { modules: [at('other/tools.mjs')] } }, { tools: [at('other/tools.mjs')] }),
    ]).toEqual([{ cwd: at('work') }, { cwd: at('work') }]);
  });

  test.for([
    ['write_file', { path: '../other/a' }, '../other/a'],
    ['read_file', { path: '~/a' }, '~/a'],
    ['edit_file', { path: 'link/a' }, 'link/a'],
    ['run_command', { command: 'ls', cwd: '/' }, '/'],
  ] as const)('makes no open call of %s elsewhere: %j', async ([name, input, told]) => {
    expect([
      await served({ calls: [callOf(name, input)] }),
      await served({ calls: [callOf(name, input, 'settled')] }),
    ]).toEqual([
      {
        why: `a call uses \`${told}\`, outside the folders served here`,
        isAlone: true,
      },
      { cwd: at('work') },
    ]);
  });

  test('starts servers of its own configuration alone, and talks to its own model', async () => {
    writeFileSync(at('home/config.json'), JSON.stringify({ mcpServers: { files: { command: 'files' } } }));
    const server = 'https://elsewhere.example/';
    expect([
      await served({ agent: { mcp: ['files'] } }),
      await served({ agent: { mcp: ['node evil.mjs'] } }, { trust: true }),
      await served({ agent: { mcp: ['node evil.mjs'] } }, { mcp: ['files'] }),
      await served({ agent: { model: 'anthropic:claude-sonnet-4-5', server } }),
      await served({ agent: { model: 'anthropic:claude-sonnet-4-5', server } }, { baseUrl: server }),
    ]).toEqual([
      { cwd: at('work') },
      { why: 'server `node evil.mjs` is not configured here' },
      { cwd: at('work') },
      {
        why: `its model server \`${server}\` is not configured here; set --base-url`,
      },
      { cwd: at('work') },
    ]);
  });
});
