import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, test, vi } from 'vitest';

import type { NotedFile } from '../../../src/core/index.js';
import type { CopyOptions } from '../../../src/tools/builtin/builtin-options.js';
import { callFilter } from '../../../src/tools/sandbox/call-filter.js';
import { asked, builtin } from '../builtin/builtin.js';
import { runTool } from '../run-tool.js';
import { tempFolders } from '../temp-folder.js';
import { kinds } from './kinds.js';

const SLOW = { timeout: 30_000 };
const folder = tempFolders();
const holds = kinds[0]?.sandbox !== undefined && callFilter(process.arch) !== undefined;

/** A result of a command in a copy, without what is the same for all. */
interface Result {
  readonly exitCode: number | null;
  readonly output: string;
  readonly notes?: readonly string[];
  readonly changed?: readonly object[];
  readonly heldBack?: readonly { readonly path: string; readonly why: string }[];
}

/** Each file, link and folder below a folder, with its content and permissions. */
function treeOf(root: string, below = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path.join(root, below), { withFileTypes: true }).flatMap((entry): [string, string][] => {
      const name = path.join(below, entry.name);
      const file = path.join(root, name);
      const { mode, nlink } = lstatSync(file);
      if (entry.isDirectory()) return [[`${name}/`, mode.toString(8)], ...Object.entries(treeOf(root, name))];
      const content = entry.isSymbolicLink()
        ? readlinkSync(file)
        : entry.isFile()
          ? readFileSync(file, 'latin1')
          : 'special';
      return [[name, `${mode.toString(8)} ${nlink} ${content}`]];
    }),
  );
}

async function world(files: Readonly<Record<string, string>> = {}, whyNot?: CopyOptions['whyNot']) {
  const home = await folder();
  await home.write({ 'notes.txt': 'one\ntwo\n', 'src/a.js': 'a\n', ...files });
  const noted: NotedFile[] = [];
  const tool = builtin('run_command', home.path, {
    env: { PATH: '/usr/bin:/bin' },
    sandbox: { mode: 'auto' },
    copies: { isOn: () => true, whyNot: whyNot ?? (() => undefined) },
  });
  const noteFile = async (file: NotedFile): Promise<boolean> => {
    noted.push(file);
    return true;
  };
  return {
    ...{ tool, noted, cwd: home.path },
    at: (name: string) => path.join(home.path, name),
    tree: () => treeOf(home.path),
    read: (name: string) => readFileSync(path.join(home.path, name), 'utf8'),
    async run(command: string, given: object = {}): Promise<Result> {
      const input = { command, writes: true, ...given };
      const shown = JSON.parse(JSON.stringify(await asked(tool, input))) as never;
      const ran = await runTool(tool, input, { approved: { shown, edited: false }, noteFile });
      if (!('output' in ran)) throw new Error(JSON.stringify(ran));
      return ran.output as Result;
    },
  };
}

describe.skipIf(!holds)('a command in a copy of the folder', SLOW, () => {
  test('brings back what it changed, made and deleted, after each was kept', async () => {
    const { run, read, at, noted } = await world({ 'old/gone.txt': 'x\n' });
    const result = await run(
      'sed -i s/two/2/ notes.txt && mkdir -p b/c && echo new > b/c/d.txt && rm -r old',
    );
    expect(result).toEqual({
      exitCode: 0,
      signal: null,
      output: '',
      notes: ['3 files changed, +2 −2'],
      changed: [
        { path: 'b/c/d.txt', change: 'made', added: 1, removed: 0 },
        { path: 'notes.txt', change: 'changed', added: 1, removed: 1 },
        { path: 'old/gone.txt', change: 'deleted', added: 0, removed: 1 },
      ],
    });
    expect([read('notes.txt'), read('b/c/d.txt'), existsSync(at('old'))]).toEqual([
      'one\n2\n',
      'new\n',
      false,
    ]);
    expect(
      noted.map((file) => ({
        ...file,
        before: typeof file.before === 'string' ? file.before : Buffer.from(file.before.bytes).toString(),
        after: file.after?.toString(),
      })),
    ).toEqual([
      { path: at('b/c/d.txt'), before: 'absent', after: 'new\n', undoable: true },
      { path: at('notes.txt'), before: 'one\ntwo\n', after: 'one\n2\n', undoable: true },
      { path: at('old/gone.txt'), before: 'x\n', after: undefined, undoable: true },
    ]);
  });

  test('notes the rights of folders that go with their files', async () => {
    const { run, at, noted } = await world({ 'a/b/c/d.txt': 'd\n', 'a/b/e.txt': 'e\n', 'a/f.txt': 'f\n' });
    chmodSync(at('a/b'), 0o750);
    chmodSync(at('a/b/c'), 0o700);
    await run('rm -r a/b; rm a/f.txt');
    expect(noted.map(({ path: file, before }) => [file, (before as { folders?: number[] }).folders])).toEqual(
      [
        [at('a/b/c/d.txt'), [0o700, 0o750]],
        [at('a/b/e.txt'), [0o750]],
        [at('a/f.txt'), undefined],
      ],
    );
  });

  test('says where it runs, and its effect', async () => {
    const { tool, cwd } = await world();
    const input = { command: 'ls | wc -l', writes: true };
    expect(await asked(tool, input)).toMatchObject({
      facts: { 'working directory': cwd, sandbox: 'can write in a copy of this folder, no network' },
    });
    expect((await asked(tool, input))?.warnings).toBeUndefined();
    const parsed = await tool.parseInput(input);
    const { signal } = new AbortController();
    expect(parsed.ok && (await tool.effectOf?.(parsed.value, signal))).toBe('none');
    for (const more of [{ ask: true }, { network: true }])
      expect(await asked(tool, { ...input, ...more })).toMatchObject({
        facts: { sandbox: expect.stringContaining('can write in this folder') as string },
      });
  });
});

type Made = Awaited<ReturnType<typeof world>>;

/** Something that must not come back, or not undone. */
interface Attack {
  readonly title: string;
  readonly files?: Readonly<Record<string, string>>;
  /** Changes the folder before the command. */
  readonly before?: (made: Made) => void;
  readonly command: string;
  /** The paths that are held back, and why. */
  readonly held?: readonly (readonly [path: string, why: RegExp])[];
  /** What comes back all the same, and is harmless without the rest. */
  readonly comes?: RegExp;
  /** Why nothing comes back. */
  readonly none?: RegExp;
}

const RUNS = /runs later/u;
const many = (count: number) => `mkdir many && cd many && seq ${count} | xargs touch`;

const ATTACKS: readonly Attack[] = [
  {
    title: 'files that run later, by any case and in any folder',
    command:
      'mkdir -p .vscode sub .husky scripts && for file in Makefile .envrc package.json PACKAGE.JSON .vscode/tasks.json sub/package.json .husky/pre-commit AGENTS.md scripts/x.js run.sh .gitattributes; do echo evil > $file; done',
    held: [
      ...['.envrc', '.gitattributes', '.husky/pre-commit', '.vscode/tasks.json', 'AGENTS.md', 'Makefile'],
      ...['PACKAGE.JSON', 'package.json', 'run.sh', 'scripts/x.js', 'sub/package.json'],
    ].map((name) => [name, RUNS] as const),
  },
  {
    title: 'a script of package.json that is there',
    files: { 'package.json': '{}\n', Makefile: 'all:\n' },
    command: 'echo evil > package.json; rm Makefile',
    held: [
      ['Makefile', RUNS],
      ['package.json', RUNS],
    ],
  },
  {
    title: 'hooks and settings of the repository',
    before: ({ cwd }) => void execFileSync('git', ['init', '--quiet', cwd]),
    command:
      'echo evil > .git/hooks/pre-commit; git config core.pager evil; rm -rf .git; mv .git other; mkdir .GIT && echo evil > .GIT/config',
    held: [['.GIT/config', RUNS]],
  },
  {
    title: 'repositories under other names',
    before: ({ cwd, at }) => {
      execFileSync('git', ['init', '--quiet', '--separate-git-dir', at('data'), cwd]);
      execFileSync('git', ['init', '--quiet', '--bare', at('x.git')]);
      mkdirSync(at('linked'));
      for (const name of ['HEAD', 'commondir']) writeFileSync(at(`linked/${name}`), '../data\n');
    },
    command:
      'echo x > data/refs/heads/evil; git config core.pager evil; git -C x.git symbolic-ref HEAD refs/heads/evil; echo x > x.git/objects/info/alternates; echo x > linked/index',
    held: [],
  },
  {
    title: 'a repository below, and one without a folder of its own',
    command: 'git init -q nested; git init -q --bare bare; git init -q .',
    comes: /^bare\/(?:config|description|hooks\/|info\/)/u, // no repository without `HEAD`
    held: [
      ...['.git/config', '.git/HEAD', '.git/description', 'bare/HEAD', 'nested/.git/config'].map(
        (name) => [name, RUNS] as const,
      ),
    ],
  },
  {
    title: 'keys, new and old',
    files: { '.env': 'KEY=1\n', 'deep/id_rsa': 'secret\n' },
    command: 'cat .env deep/id_rsa; echo x > .env; rm deep/id_rsa; echo x > new.pem; ls -a deep',
    held: [
      ['.env', /keys/u],
      ['new.pem', /keys/u],
    ],
  },
  {
    title: 'links: in, out, of files, of folders, changed and gone',
    before: ({ at }) => {
      symlinkSync('/etc', at('out'));
      symlinkSync('notes.txt', at('in'));
      symlinkSync('src', at('gone'));
    },
    comes: /^src\/a\.js$/u,
    command:
      'ln -s /etc/passwd passwd; ln -sfn / out; rm gone; rm in; echo x > in; rm src/a.js; rmdir src; ln -s /tmp src; mkdir new; ln -s .. new/up',
    held: [
      ['gone', /link/u],
      ['in', /link/u],
      ['new/up', /link/u],
      ['out', /link/u],
      ['passwd', /link/u],
      ['src', /link/u],
    ],
  },
  {
    title: 'what it did to the empty files and folders that stand for keys',
    files: {
      '.env': 'KEY=1\n',
      'a.pem': 'secret\n',
      'b.pem': 'secret\n',
      'c.pem': 'secret\n',
      'conf/.env': 'KEY=1\n',
      '.ssh/x': 'secret\n',
    },
    command: 'rm .env; sed -i s/secret/x/ a.pem; echo x >> b.pem; cat c.pem; rm -r conf .ssh',
    held: [
      ['.env', /keys/u],
      ['.ssh', /keys/u],
      ['a.pem', /keys/u],
      ['b.pem', /keys/u],
      ['conf/.env', /keys/u],
    ],
  },
  {
    title: 'pipes, sockets and devices',
    command: `mkfifo pipe; mknod device c 1 3; node -e "require('net').createServer().listen('socket', () => process.kill(process.pid, 'SIGKILL'))"; rm notes.txt; mkfifo notes.txt`,
    held: [
      ['notes.txt', /not a file/u],
      ['pipe', /not a file/u],
    ],
  },
  {
    title: 'permissions alone, and those of another user',
    command: 'chmod u+s notes.txt; chmod +x src/a.js',
    held: [['src/a.js', /permissions/u]],
  },
  {
    title: 'names that cannot be seen, or are not UTF-8',
    command: `echo x > "$(printf 'a\\nb')"; echo x > "$(printf 'a\\033[2Kb')"; echo x > "$(printf 'a\\342\\200\\256b')"; echo x > "$(printf 'a\\377')"`,
    held: [
      ['a\nb', /invisible characters/u],
      ['a\u001b[2Kb', /invisible characters/u],
      ['a\u202eb', /invisible characters/u],
      ['a\ufffd', /UTF-8/u],
    ],
  },
  { title: 'a file that is too large', command: 'truncate -s 100M big', none: /more than 32 MB/u },
  {
    title: 'a file larger than any disk',
    command: 'truncate -s 4T big || truncate -s 200M big',
    none: /more than 32 MB/u,
  },
  { title: 'more files than are looked at', command: many(600), none: /more than 500 files/u },
  { title: 'tens of thousands of files', command: many(20_000), none: /more than \d+ files/u },
  {
    title: 'a file of which no copy can be kept',
    files: { 'data.bin': 'x'.repeat(6 << 20) },
    command: 'rm data.bin',
    held: [['data.bin', /could not be undone/u]],
  },
  {
    title: 'a folder that is deeper than any',
    command: 'for i in $(seq 100); do mkdir d && cd d; done; echo x > x',
    held: [[Array.from({ length: 61 }, () => 'd').join('/'), /deep/u]],
  },
  {
    title: 'files as folders, and folders as files',
    command: 'rm notes.txt && mkdir notes.txt && echo x > notes.txt/x; rm -r src/sub; echo x > src/sub',
    files: { 'src/sub/b.js': 'b\n' },
    held: [
      ['notes.txt', /it was a file/u],
      ['src/sub', /it was a folder/u],
    ],
    comes: /^src\/sub\/b\.js$/u,
  },
];

describe.skipIf(!holds)('what does not come back from a copy', SLOW, () => {
  test.for(ATTACKS)('$title', async ({ files, before, command, held = [], none, comes }) => {
    const made = await world(files);
    before?.(made);
    const tree = made.tree();
    const { heldBack = [], notes = [], changed, output } = await made.run(command);
    const found = heldBack.map(({ path: name }) => name).toSorted();
    expect(output).not.toMatch(/KEY=1|secret/u);
    expect(found, output).toEqual(expect.arrayContaining(held.map(([name]) => name)));
    for (const [name, why] of held)
      expect(heldBack.find(({ path: one }) => one === name)?.why, name).toMatch(why);
    if (none !== undefined) expect(notes.join('\n')).toMatch(none);
    if (comes !== undefined) {
      for (const one of changed ?? [])
        expect(one).toMatchObject({ path: expect.stringMatching(comes) as string });
      return;
    }
    expect(changed ?? []).toEqual([]);
    expect(made.tree()).toEqual(tree);
    expect(made.noted).toEqual([]);
  });

  test('a file that a rule of the person asks about', async () => {
    const made = await world({}, ({ path: name }) =>
      name.startsWith('src/') ? 'the rule `ask` asks' : undefined,
    );
    const { changed, heldBack } = await made.run('echo x > src/a.js; echo x > src/b.js; echo x > notes.txt');
    expect(changed).toEqual([{ path: 'notes.txt', change: 'changed', added: 1, removed: 2 }]);
    expect(heldBack).toEqual(
      ['src/a.js', 'src/b.js'].map((name) => ({ path: name, why: 'the rule `ask` asks' })),
    );
  });

  test('a file that somebody changed, made, deleted or replaced while the command ran', async () => {
    const made = await world({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'd/e.txt': 'e\n' });
    const outside = await folder();
    await outside.write({ 'e.txt': 'outside\n' });
    const running = made.run(
      'touch /tmp/x; sleep 5; for f in notes.txt a.txt b.txt new.txt d/e.txt; do echo mine > $f; done; rm src/a.js',
    );
    await sleep(2500); // by now the copy is made and the command waits, also on a busy machine
    writeFileSync(made.at('notes.txt'), 'theirs\n');
    writeFileSync(made.at('new.txt'), 'theirs\n');
    writeFileSync(made.at('src/a.js'), 'theirs\n');
    rmSync(made.at('a.txt'));
    rmSync(made.at('d'), { recursive: true });
    symlinkSync(outside.path, made.at('d'));
    const { changed, heldBack = [] } = await running;
    expect(changed).toEqual([{ path: 'b.txt', change: 'changed', added: 1, removed: 1 }]);
    expect(heldBack.map(({ path: name }) => name).toSorted()).toEqual([
      'a.txt',
      'd/e.txt',
      'new.txt',
      'notes.txt',
      'src/a.js',
    ]);
    expect(['notes.txt', 'new.txt', 'src/a.js', 'd/e.txt'].map(made.read)).toEqual([
      ...Array.from({ length: 3 }, () => 'theirs\n'),
      'outside\n',
    ]);
    expect(existsSync(made.at('a.txt'))).toBe(false);
  });

  test('what another name of a file has', async () => {
    const made = await world();
    const outside = await folder();
    await outside.write({ precious: 'as it was\n' });
    linkSync(path.join(outside.path, 'precious'), made.at('linked'));
    const { changed } = await made.run('echo x > linked; ln notes.txt second');
    expect(changed).toHaveLength(2);
    expect(readFileSync(path.join(outside.path, 'precious'), 'utf8')).toBe('as it was\n');
    expect(lstatSync(made.at('second')).nlink).toBe(1);
  });

  test('what a process writes that goes on after the command', async () => {
    const made = await world();
    await made.run('(setsid sh -c "sleep 0.3; echo late > late.txt; echo late > notes.txt" &) ; true');
    await sleep(700);
    expect([made.read('notes.txt'), existsSync(made.at('late.txt'))]).toEqual(['one\ntwo\n', false]);
  });

  test('anything, where the command is stopped or the folder is gone', async () => {
    const made = await world();
    const tree = made.tree();
    const { notes } = await made.run('echo x > notes.txt; sleep 20', { timeoutMs: 500 });
    expect(notes).toEqual([
      'stopped after its time limit of 500 ms',
      'the command was stopped, so its changes were discarded',
    ]);
    expect(made.tree()).toEqual(tree);
    const { heldBack, changed } = await made.run('rm -rf "$PWD"; echo x > x');
    expect([heldBack, changed?.length]).toEqual([undefined, 3]);
  });

  test('nothing of it stays in the temporary folder, whatever rights it took', async () => {
    const made = await world();
    const { path: temporary } = await folder();
    vi.stubEnv('TMPDIR', temporary); // another process may make copies at the moment
    expect(await made.run('mkdir -p a/b && chmod 000 a/b a && pwd')).toMatchObject({ exitCode: 0 });
    vi.unstubAllEnvs();
    expect(readdirSync(temporary)).toEqual([]);
  });

  test('where nothing can be kept, nothing changes', async () => {
    const made = await world();
    const tree = made.tree();
    const input = { command: 'echo x > notes.txt', writes: true };
    const shown = JSON.parse(JSON.stringify(await asked(made.tool, input))) as never;
    for (const noteFile of [undefined, async () => false]) {
      const ran = await runTool(made.tool, input, {
        ...{ approved: { shown, edited: false } },
        ...(noteFile !== undefined && { noteFile }),
      });
      expect(ran).toMatchObject({
        output: { heldBack: [{ path: 'notes.txt', why: expect.stringContaining('undone') as string }] },
      });
    }
    expect(made.tree()).toEqual(tree);
  });

  test('a folder that is too large is asked about, and one that programs filled is seen read-only', async () => {
    const made = await world();
    mkdirSync(made.at('node_modules/many'), { recursive: true });
    for (let at = 0; at < 1_001; at += 1) writeFileSync(made.at(`node_modules/many/${at}`), '');
    const { output, changed } = await made.run(
      'ls node_modules/many | wc -l; touch node_modules/many/x; echo x > notes.txt',
    );
    expect(output).toMatch(/^1001\n.*Read-only file system\n$/u);
    expect(changed).toHaveLength(1);
    writeFileSync(made.at('large'), '');
    truncateSync(made.at('large'), 257 << 20);
    expect(await asked(made.tool, { command: 'ls', writes: true })).toMatchObject({
      facts: { sandbox: 'can write in this folder, no network' },
    });
  });

  test('a folder that grows too large between the question and the run is not copied', async () => {
    const made = await world();
    const input = { command: 'echo x > notes.txt', writes: true };
    const shown = JSON.parse(JSON.stringify(await asked(made.tool, input))) as never;
    writeFileSync(made.at('large'), '');
    truncateSync(made.at('large'), 257 << 20);
    const running = runTool(made.tool, input, { approved: { shown, edited: false } });
    await expect(running).rejects.toThrow('the working directory is too large to copy');
    expect(made.read('notes.txt')).toBe('one\ntwo\n');
  });
});
