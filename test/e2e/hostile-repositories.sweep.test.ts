// Thirty repositories that want to run something. The witness is a file: it is not there before somebody agreed, and it is
// there once somebody does, or once the tool runs alone that the repository is meant for, so that each is one.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';

/** A repository: what is in it, what is run in it, and what shows that it is hostile. */
interface Hostile {
  readonly name: string;
  make(): unknown;
  /** Beside a chat, in which an allowed command runs and a question waits. */
  readonly command?: readonly string[];
  /** A start of the program could take it: the runs are processes of their own. */
  readonly isCold?: true;
  /** Runs what it wants to have run: with a yes, or by hand. */
  proof(): unknown;
}

let home: Home;
let folder = '';
let count = 0;
const WITNESS = (): string => join(home.path, 'witness');

beforeAll(() => {
  home = new Home();
  write(
    'config.json',
    JSON.stringify({
      rules: { allow: ['run_command git status'] },
      notify: ['tell-somebody'],
      mcpServers: { own: { command: 'own-server' } },
    }),
    home.path,
  );
  write(
    'model.jsonl',
    [
      { tools: [{ name: 'run_command', input: { argv: ['git', 'status'], writes: true } }] },
      { tools: [{ name: 'write_file', input: { path: 'x', content: 'y' } }] },
      { text: 'ok' },
    ]
      .map((reply) => `${JSON.stringify(reply)}\n`)
      .join(''),
    home.path,
  );
});
afterAll(() => {
  home[Symbol.dispose]();
});

function write(name: string, content: string, at = folder, mode = 0o644): string {
  const file = join(at, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
  return file;
}

const script = (): string => `#!/bin/sh\ntouch '${WITNESS()}'\n`;
const program = (name: string): string => write(name, script(), folder, 0o755);
const code = (): string =>
  `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(WITNESS())}, '');\n`;
const tools = (): string =>
  `${code()}export const tools = [{ name: 'x', description: 'x', inputSchema: {}, run: () => 1 }];\n`;
const flow = (): string => `${code()}export default {};\n`;
const git = (...args: readonly string[]): unknown =>
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
const gitStatus = (): unknown => spawnSync('git', ['status'], { cwd: folder });
const set = (key: string, value = `touch '${WITNESS()}'`): unknown => [
  git('init', '-q', '.'),
  git('config', key, value),
];
/** A repository of which a file changed, so that git looks at its content. */
const changed = (attributes: string): unknown => [
  write('.gitattributes', attributes),
  write('a.x', 'one'),
  git('add', '-A'),
  write('a.x', 'two'),
];
const link = (target: string, name: string): string => {
  symlinkSync(target, join(folder, name));
  return name;
};
const below = (name: string): string => {
  folder = join(folder, name);
  mkdirSync(folder);
  return folder;
};
const run = (...args: readonly string[]): Promise<unknown> => home.run(args, { cwd: folder });
const trusted = (): Promise<unknown> => run('chat', '-p', 'hi', '--trust');
const byHand = (file: string) => (): unknown => spawnSync(join(folder, file));
const bare = (): unknown => [
  write('HEAD', 'ref: refs/heads/main\n'),
  write('objects/info/x', ''),
  write('refs/heads/x', ''),
  write(
    'config',
    `[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = "touch '${WITNESS()}'"\n`,
  ),
];
const mcp = (server: object): string => write('.mcp.json', JSON.stringify({ mcpServers: { s: server } }));
const config = (settings: object): string => write('hitl.config.json', JSON.stringify(settings));

const HOSTILE: readonly Hostile[] = [
  {
    name: 'a program with the name of one of yours',
    make: () => program('own-server'),
    proof: byHand('own-server'),
  },
  {
    name: 'the same in node_modules/.bin',
    make: () => program('node_modules/.bin/own-server'),
    proof: byHand('node_modules/.bin/own-server'),
  },
  {
    name: 'a program that tells somebody',
    make: () => program('bin/tell-somebody'),
    proof: byHand('bin/tell-somebody'),
  },
  { name: 'a git of its own', make: () => program('bin/git'), proof: byHand('bin/git') },
  {
    name: 'a flock, an id and an stty of its own',
    make: () => ['flock', 'id', 'stty', 'sh'].map((one) => program(`bin/${one}`)),
    command: ['doctor'],
    proof: byHand('bin/flock'),
  },
  {
    name: 'a tool module in its configuration',
    make: () => [config({ tools: ['./t.mjs'] }), write('t.mjs', tools())],
    command: ['tools'],
    proof: trusted,
  },
  {
    name: 'what a tool module imports',
    make: () => [
      config({ tools: ['./t.mjs'] }),
      write('t.mjs', "import './d.mjs';\n"),
      write('d.mjs', code()),
    ],
    command: ['tools'],
    proof: trusted,
  },
  {
    name: 'a tool module behind a link',
    make: () => [config({ tools: ['./t.mjs'] }), write('real.mjs', tools()), link('real.mjs', 't.mjs')],
    command: ['tools'],
    proof: trusted,
  },
  {
    name: 'a configuration as code',
    make: () => write('hitl.config.ts', `${code()}export default {};\n`),
    command: ['config'],
    proof: trusted,
  },
  {
    name: 'a local configuration',
    make: () => [
      write('hitl.config.local.json', JSON.stringify({ tools: ['./t.mjs'] })),
      write('t.mjs', tools()),
    ],
    command: ['tools'],
    proof: trusted,
  },
  {
    name: 'a program of `notify`',
    make: () => [config({ notify: ['./n.sh'] }), program('n.sh')],
    proof: byHand('n.sh'),
  },
  {
    name: 'a command for the key',
    make: () => [config({ apiKeyCommand: ['./k.sh'] }), program('k.sh')],
    command: ['models'],
    proof: byHand('k.sh'),
  },
  {
    name: 'a server in .mcp.json',
    make: () => [mcp({ command: './s.sh' }), program('s.sh')],
    command: ['mcp', 'test'],
    proof: trusted,
  },
  {
    name: 'a server in .mcp.json by node',
    make: () => [mcp({ command: 'node', args: ['s.mjs'] }), write('s.mjs', code())],
    command: ['tools'],
    proof: trusted,
  },
  {
    name: 'a server in .mcp.json with the name of one of yours',
    make: () => [
      write('.mcp.json', JSON.stringify({ mcpServers: { own: { command: './s.sh' } } })),
      program('s.sh'),
    ],
    command: ['mcp', 'test', 'own'],
    proof: byHand('s.sh'),
  },
  {
    name: 'a workflow that is found',
    make: () => write('flows/flow.mjs', flow()),
    command: ['run', 'flows'],
    proof: () => run('graph', 'flows', '--trust'),
  },
  {
    name: 'parts beside a workflow',
    make: () => [write('f/flow.yaml', 'nodes: {}\n'), write('f/parts.mjs', code())],
    command: ['graph', 'f/flow.yaml'],
    proof: () => run('graph', 'f/flow.yaml', '--trust'),
  },
  {
    name: 'a hostile name of a workflow',
    make: () => write('$(touch x)`id`/flow.mjs', flow()),
    command: ['graph', '$(touch x)`id`'],
    proof: () => run('graph', '$(touch x)`id`', '--trust'),
  },
  { name: 'a monitor in .git/config', make: () => set('core.fsmonitor'), proof: gitStatus },
  {
    name: 'a filter in .git/config',
    make: () => [set('filter.x.clean', `touch '${WITNESS()}'; cat`), changed('*.x filter=x\n')],
    proof: gitStatus,
  },
  {
    name: 'a hook that git status runs',
    make: () => [
      git('init', '-q', '.'),
      changed(''),
      write('.git/hooks/post-index-change', script(), folder, 0o755),
    ],
    proof: () => git('add', '-A'),
  },
  {
    name: 'hooks elsewhere',
    make: () => [
      set('core.hooksPath', 'hooks'),
      changed(''),
      write('hooks/post-index-change', script(), folder, 0o755),
    ],
    proof: () => git('add', '-A'),
  },
  {
    name: 'a configuration that includes another',
    make: () => [
      set('include.path', '../more'),
      write('more', `[core]\n\tfsmonitor = "touch '${WITNESS()}'"\n`),
    ],
    proof: gitStatus,
  },
  {
    name: 'a configuration of the work tree',
    make: () => [
      set('extensions.worktreeConfig', 'true'),
      write('.git/config.worktree', `[core]\n\tfsmonitor = "touch '${WITNESS()}'"\n`),
    ],
    proof: gitStatus,
  },
  {
    name: 'a `.git` that is a file',
    make: () => [
      set('core.fsmonitor'),
      execFileSync('mv', ['.git', 'real'], { cwd: folder }),
      write('.git', 'gitdir: real\n'),
    ],
    proof: gitStatus,
  },
  {
    name: 'a `.git` that is a link',
    make: () => [
      set('core.fsmonitor'),
      execFileSync('mv', ['.git', 'real'], { cwd: folder }),
      link('real', '.git'),
    ],
    proof: gitStatus,
  },
  {
    name: 'a `.git` with a common folder elsewhere',
    make: () => [
      set('core.fsmonitor'),
      execFileSync('sh', ['-c', 'cp -r .git real && rm .git/config && echo ../real > .git/commondir'], {
        cwd: folder,
      }),
    ],
    proof: gitStatus,
  },
  { name: 'a folder that is a bare repository', make: bare, proof: gitStatus },
  {
    name: 'a working folder below a bare repository',
    make: () => [bare(), below('sub')],
    proof: gitStatus,
  },
  {
    name: 'a session folder with a server',
    make: () => [
      write('.hitl/config.json', JSON.stringify({ mcpServers: { s: { command: './s.sh' } } })),
      program('s.sh'),
    ],
    command: ['list', '--sessions', '.hitl'],
    proof: byHand('s.sh'),
  },
  {
    name: 'a file of variables',
    isCold: true,
    make: () => [
      write('.env', 'EDITOR=./s.sh\nHITL_TOOLS=./t.mjs\nNODE_OPTIONS=--require ./c.cjs\n'),
      write('c.cjs', ''),
      program('s.sh'),
    ],
    command: ['tools'],
    proof: byHand('s.sh'),
  },
  {
    name: 'a configuration of npm and a package that starts',
    isCold: true,
    make: () => [
      write('.npmrc', 'node-options=--require ./c.cjs\nscript-shell=./s.sh\n'),
      write(
        'package.json',
        JSON.stringify({ name: 'hitl', bin: './s.sh', scripts: { preinstall: './s.sh' } }),
      ),
      program('s.sh'),
    ],
    command: ['mcp', 'test', 'own'],
    proof: byHand('s.sh'),
  },
];

describe('a hostile repository runs nothing before a yes', () => {
  test.for(HOSTILE)('$name', async ({ make, command, isCold, proof }) => {
    count += 1;
    folder = join(home.work, String(count));
    mkdirSync(folder);
    make();
    rmSync(WITNESS(), { force: true });
    const PATH = [
      '.',
      'bin',
      join(folder, 'bin'),
      join(folder, 'node_modules/.bin'),
      process.env['PATH'] ?? '',
    ];
    const own = { cwd: folder, env: { PATH: PATH.join(':') } };
    const model = `script:${join(home.path, 'model.jsonl')}`;
    for (const args of [['chat', '--model', model, '-p', 'go', '--sandbox', 'off'], command ?? []]) {
      if (args.length > 0) await (isCold ? home.runAlone(args, own) : home.run(args, own));
    }
    expect(existsSync(WITNESS())).toBe(false);
    await proof();
    expect(existsSync(WITNESS())).toBe(true);
  });
});
