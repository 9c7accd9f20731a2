import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { killAt } from '../helpers/kill-at.js';
import type { Ran } from '../helpers/program.js';
import { Home, lines } from '../helpers/program.js';
import { scriptModel } from '../helpers/tool-module.js';
import { WatchedTerminal } from '../screen/watched-terminal.js';

const OLD = 'one\ntwo\n';
const edit = (path: string, oldText: string, newText: string) => ({
  name: 'edit_file',
  input: { path, oldText, newText },
});
const write = (path: string, content: string) => ({ name: 'write_file', input: { path, content } });
const command = { name: 'run_command', input: { command: 'touch made-by-a-command', writes: true } };

/** A session that has edited `a.txt` twice, made `new/b.txt` and run a command, in two turns. */
class Scene implements Disposable {
  readonly home = new Home();

  constructor() {
    writeFileSync(this.path('a.txt'), OLD);
    writeFileSync(this.path('c.txt'), 'c');
  }

  async played(): Promise<this> {
    const model = scriptModel(this.home, [
      { tools: [edit('a.txt', 'one', '1')] },
      { text: 'first' },
      { tools: [edit('a.txt', 'two', '2'), write('new/b.txt', 'b'), write('c.txt', 'C')] },
      { tools: [command] },
      { text: 'second' },
    ]);
    const flags = ['--mode', 'accept-edits', '--yes', 'run_command', '--sandbox', 'off', '--quiet'];
    const ran = await this.run(['chat', '--model', model, ...flags], { input: lines('go', 'go on') });
    expect(ran.status).toBe(0);
    expect(this.files()).toEqual({ 'a.txt': '1\n2\n', 'new/b.txt': 'b', 'c.txt': 'C' });
    return this;
  }

  path(...names: readonly string[]): string {
    return join(this.home.work, ...names);
  }

  files(): Record<string, string | undefined> {
    return Object.fromEntries(
      ['a.txt', 'new/b.txt', 'c.txt'].flatMap((name) =>
        existsSync(this.path(name)) ? [[name, readFileSync(this.path(name), 'utf8')]] : [],
      ),
    );
  }

  run(args: readonly string[], more: object = {}): Promise<Ran> {
    return this.home.run(args, { cwd: this.home.work, ...more });
  }

  /** The event before a user's nth message. */
  before(nth: number): string {
    const users = this.home.events().flatMap(({ type, message }, at) => {
      return type === 'message-added' && (message as { role: string }).role === 'user' ? [at] : [];
    });
    return String(users[nth - 1]);
  }

  rewind(nth: number, ...flags: readonly string[]): Promise<Ran> {
    return this.run(['rewind', this.home.id, '--to', this.before(nth), ...flags]);
  }

  notes(): number {
    return this.home.events().filter(({ type }) => type === 'file-noted').length;
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }
}

const ALL_BACK = { 'a.txt': OLD, 'c.txt': 'c' };
const COMMAND = 'Run `touch made-by-a-command`';

describe('files that a rewind brings back', () => {
  test('are as they were at that point, the new one is gone, its folder stays, and a command is not undone', async () => {
    using scene = await new Scene().played();
    const dry = await scene.rewind(1, '--files', '--dry-run');
    expect(dry).toMatchObject({ status: 0, stderr: '' });
    expect(dry.stdout.split('\n')).toEqual([
      'If you restore files:',
      '  a.txt      restored to its earlier state',
      '  c.txt      restored to its earlier state',
      '  new/b.txt  removed (created since then)',
      'Not undone:',
      `  ${COMMAND} · done`,
      '',
    ]);
    const back = await scene.rewind(1, '--files');
    expect(back.status).toBe(0);
    expect(back.stderr.split('\n')).toEqual([
      'Files:',
      '  a.txt      restored',
      '  c.txt      restored',
      '  new/b.txt  removed',
      'Not undone:',
      `  ${COMMAND} · done`,
      `hint: hitl resume ${scene.home.id}`,
      '',
    ]);
    expect(scene.files()).toEqual(ALL_BACK);
    expect(readdirSync(scene.path('new'))).toEqual([]);
    expect(existsSync(scene.path('made-by-a-command'))).toBe(true);
    expect(scene.home.events().filter(({ type }) => type === 'history-rewound')).toEqual([]);
    const notes = scene.notes();
    const again = await scene.rewind(1, '--files');
    expect([again.status, scene.notes()]).toEqual([0, notes]);
    expect((await scene.run(['audit', 'verify', scene.home.id])).status).toBe(0);
  });

  test('are those of a later point, with the conversation, as JSON', async () => {
    using scene = await new Scene().played();
    const { status, stdout } = await scene.rewind(2, '--files', '--conversation', '--json');
    expect(status).toBe(0);
    const { session, conversation, files, effects } = JSON.parse(stdout) as Record<string, unknown>;
    expect({
      session,
      conversation,
      files,
      tools: (effects as { tool: string }[]).map(({ tool }) => tool),
    }).toEqual({
      session: scene.home.id,
      conversation: true,
      files: [
        { path: scene.path('a.txt'), what: 'restored' },
        { path: scene.path('c.txt'), what: 'restored' },
        { path: scene.path('new/b.txt'), what: 'removed' },
      ],
      tools: ['run_command'],
    });
    expect(scene.files()).toEqual({ 'a.txt': '1\ntwo\n', 'c.txt': 'c' });
    expect(scene.home.events().at(-1)).toEqual({ type: 'history-rewound', keep: 4 });
    expect((await scene.rewind(1, '--files')).status).toBe(0);
    expect(scene.files()).toEqual(ALL_BACK);
  });

  test('are left without the flag, and told as not undone', async () => {
    using scene = await new Scene().played();
    const before = scene.files();
    const { status, stderr } = await scene.rewind(2);
    expect(status).toBe(0);
    expect(stderr).toContain('Not undone:\n');
    expect(stderr).toContain('a.txt');
    expect(scene.files()).toEqual(before);
    expect((await scene.rewind(2, '--overwrite')).stderr).toContain('`--overwrite` requires `--files`');
  });

  test('do not overwrite what somebody changed: it is named, with status 2, and brought back where that is said', async () => {
    using scene = await new Scene().played();
    writeFileSync(scene.path('a.txt'), 'by hand');
    const left = await scene.rewind(1, '--files');
    expect([left.status, scene.files()['a.txt']]).toEqual([2, 'by hand']);
    expect(left.stderr).toContain('  a.txt      stays: changed since then by something else\n');
    expect(left.stderr).toMatch(/Not undone:\n(?: .*\n)* {2}.*a\.txt/u);
    const forced = await scene.rewind(1, '--files', '--overwrite');
    expect([forced.status, scene.files()]).toEqual([0, ALL_BACK]);
    // Also what was overwritten has a copy.
    const noted = scene.home.events().findLast(({ type }) => type === 'file-noted') as {
      readonly before: { readonly sha256: string };
    };
    const copy = join(scene.home.sessions, scene.home.id, `file-${noted.before.sha256}.copy`);
    expect(readFileSync(copy, 'utf8')).toBe('by hand');
  });

  test('are reached through no link, and from no forged copy', async () => {
    using scene = await new Scene().played();
    const outside = join(scene.home.path, 'outside');
    writeFileSync(outside, '1\n2\n');
    rmSync(scene.path('a.txt'));
    symlinkSync(outside, scene.path('a.txt'));
    const copies = join(scene.home.sessions, scene.home.id);
    for (const name of readdirSync(copies))
      if (name.endsWith('.copy') && readFileSync(join(copies, name), 'utf8') === 'c')
        writeFileSync(join(copies, name), 'forged');
    const { status, stderr } = await scene.rewind(1, '--files', '--overwrite');
    expect(status).toBe(2);
    expect(stderr).toContain('  a.txt      stays: its path contains a link\n');
    expect(stderr).toContain('  c.txt      stays: its copy is missing or damaged\n');
    expect(readFileSync(outside, 'utf8')).toBe('1\n2\n');
    expect(scene.files()['c.txt']).toBe('C');
  });

  test('are reached through no link in the place of a folder', async () => {
    using scene = await new Scene().played();
    const outside = join(scene.home.path, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'b.txt'), 'b');
    rmSync(scene.path('new'), { recursive: true });
    symlinkSync(outside, scene.path('new'));
    const { status, stderr } = await scene.rewind(1, '--files', '--overwrite');
    expect([status, readdirSync(outside)]).toEqual([2, ['b.txt']]);
    expect(stderr).toContain('  new/b.txt  stays: its path contains a link\n');
  });

  test('are left where a journal from elsewhere names them', async () => {
    using scene = await new Scene().played();
    rmSync(join(scene.home.path, 'key'));
    const { status, stderr } = await scene.rewind(1, '--files', '--overwrite');
    expect(status).toBe(2);
    expect(stderr).toContain('  a.txt      stays: not recorded by this installation of hitl\n');
    expect(scene.files()['a.txt']).toBe('1\n2\n');
  });

  test.for([
    ['before', 1],
    ['after', 1],
    ['before', 2],
    ['after', 2],
    ['before', 3],
    ['after', 3],
  ] as const)('are all back after a process that dies %s note %i, and another one', async ([side, nth]) => {
    using scene = await new Scene().played();
    const args = ['rewind', scene.home.id, '--to', scene.before(1), '--files', '--conversation'];
    const died = await scene.run(args, { env: killAt(scene.home, side, 'file-noted', nth) });
    expect(died.status).toBe(137);
    expect((await scene.run(args)).status).toBe(0);
    expect(scene.files()).toEqual(ALL_BACK);
    expect(scene.home.events().at(-1)).toEqual({ type: 'history-rewound', keep: 0 });
    // Four notes of calls, one for each file, and one more where it was told and not done.
    expect(scene.notes()).toBe(side === 'after' ? 8 : 7);
  });

  test('of a killed call are known, whether it wrote or not', async () => {
    for (const [side, type] of [
      ['after', 'file-noted'],
      ['before', 'tool-settled'],
    ] as const) {
      using scene = new Scene();
      const model = scriptModel(scene.home, [{ tools: [edit('a.txt', 'one', '1')] }, { text: 'done' }]);
      const args = ['chat', '-p', 'go', '--model', model, '--mode', 'accept-edits'];
      const died = await scene.run(args, { env: killAt(scene.home, side, type, 1) });
      expect(died.status).toBe(137);
      const back = await scene.rewind(1, '--files');
      expect([back.status, scene.files()['a.txt']]).toEqual([0, OLD]);
    }
  });

  test('are refused where there are no copies', async () => {
    using scene = new Scene();
    const model = scriptModel(scene.home, [{ tools: [edit('a.txt', 'one', '1')] }, { text: 'done' }]);
    const flags = ['--mode', 'accept-edits', '--no-save', '--model', model, '--quiet'];
    const ran = await scene.run(['chat', ...flags], { input: lines('go', '/rewind 1 files') });
    expect([ran.status, scene.files()['a.txt']]).toEqual([2, '1\ntwo\n']);
    expect(ran.stderr).toContain('has no file copies, so no file can be restored');
  });

  test('come with `/rewind 1 both`, and alone with `/rewind 1 files`', async () => {
    for (const [what, kept] of [
      ['both', true],
      ['files', false],
    ] as const) {
      using scene = await new Scene().played();
      const ran = await scene.run(['resume', scene.home.id, '--quiet'], {
        input: lines(`/rewind 1 ${what}`),
      });
      expect(ran.status).toBe(0);
      expect(scene.files()).toEqual({ 'a.txt': '1\ntwo\n', 'c.txt': 'c' });
      expect(scene.home.events().some(({ type }) => type === 'history-rewound')).toBe(kept);
      expect(ran.stderr.split('\n').slice(-7, -1)).toEqual([
        'Files:',
        '  a.txt      restored',
        '  c.txt      restored',
        '  new/b.txt  removed',
        'Not undone:',
        `  ${COMMAND} · done`,
      ]);
      const shown = await scene.run(['show', scene.home.id]);
      expect(shown.stdout).toMatch(/\n\nFiles restored by \S+: a\.txt, c\.txt, new\/b\.txt \(removed\)\n$/u);
    }
  });
});

test('a workflow brings back the files of its nodes, and goes back to one of them', async () => {
  using scene = new Scene();
  const flow = scene.path('flow.yaml');
  writeFileSync(
    flow,
    `name: two
end: [second]
nodes: { first: { kind: agent, prompt: a }, second: { kind: agent, prompt: b } }
edges: [{ from: first, to: second }]
`,
  );
  writeFileSync(scene.path('a.txt'), '.');
  const model = scriptModel(scene.home, [{ tools: [edit('a.txt', '.', 'x.')] }, { text: 'done' }]);
  const args = ['run', flow, '--trust', '--mode', 'accept-edits', '--model', model, '--quiet'];
  expect([(await scene.run(args)).status, scene.files()['a.txt']]).toEqual([0, 'xx.']);
  const back = ['rewind', scene.home.id, '--files', '--to'];
  expect((await scene.run([...back, 'second', '--conversation'])).status).toBe(0);
  expect(scene.files()['a.txt']).toBe('x.');
  expect(scene.home.events().at(-1)).toMatchObject({ type: 'rewound', node: 'second', visit: 1 });
  expect([(await scene.run([...back, 'first'])).status, scene.files()['a.txt']]).toEqual([0, '.']);
});

test('at a terminal a rewind asks what to bring back, and leaves what something else changed unless it is told', async () => {
  using scene = await new Scene().played();
  writeFileSync(scene.path('c.txt'), 'by hand');
  const args = ['rewind', scene.home.id, '--to', scene.before(1)];
  using terminal = new WatchedTerminal(scene.home, args, { cols: 80, rows: 24 });
  await terminal.until('Restore what?');
  let album = `${(await terminal.rows()).join('\n')}\n`;
  await terminal.press('1');
  await terminal.until('Overwrite it?');
  album += `=== 1\n${(await terminal.rows()).join('\n')}\n`;
  await terminal.press('1');
  expect(await terminal.ended).toBe(0);
  album += `=== 1\n${(await terminal.rows()).join('\n').replaceAll(scene.home.id, '<id>')}\n`;
  await expect(album).toMatchFileSnapshot('golden/rewind-files.txt');
  expect(scene.files()).toEqual({ 'a.txt': OLD, 'c.txt': 'by hand' });
  expect(await terminal.surprises()).toEqual([]);
});
