import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { Home } from '../helpers/program.js';
import type { Ran, RunOptions } from '../helpers/program.js';
import { Terminal } from '../helpers/terminal.js';

/** A home whose folder is a project with a module that leaves a mark as soon as it is loaded. */
class Project extends Home {
  readonly module = join(this.path, 'tools.mjs');
  readonly config = join(this.path, 'hitl.config.json');
  readonly store = join(this.path, 'trust.json');
  readonly #mark = join(this.path, 'loaded');

  constructor({ configured = true }: { readonly configured?: boolean } = {}) {
    super();
    this.write('first');
    if (configured) writeFileSync(this.config, '{"tools":["./tools.mjs"],"maxTurns":9}');
  }

  write(text: string): void {
    writeFileSync(
      this.module,
      `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(this.#mark)}, 'x');
export const note = { name: 'note', description: '${text}', input: { type: 'object' }, execute: () => 'ok' };
`,
    );
  }

  /** How often the module was loaded. */
  get loaded(): number {
    return existsSync(this.#mark) ? readFileSync(this.#mark, 'utf8').length : 0;
  }

  /** A process keeps the modules it has loaded: tests that load one twice use `anew`. */
  here(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return this.run(args, { cwd: this.path, ...options });
  }

  anew(args: readonly string[]): Promise<Ran> {
    return this.runAlone(args, { cwd: this.path });
  }
}

const HI = ['chat', '-p', 'hi'] as const;

describe('G34 a folder with a configuration of its own', () => {
  test('is an error where nobody can be asked, and nothing of it is loaded', async () => {
    using project = new Project();
    const { status, stderr } = await project.here(HI);
    expect({ status, loaded: project.loaded, ids: project.ids() }).toEqual({ status: 2, loaded: 0, ids: [] });
    expect(stderr).toContain(`error: this folder’s configuration is not trusted: ${project.config}`);
    expect(stderr).toContain('hint: review it, then add --trust; or continue without it: --no-trust');
  });

  test('is left out with --no-trust', async () => {
    using project = new Project();
    const { status } = await project.here([...HI, '--no-trust']);
    expect({ status, loaded: project.loaded }).toEqual({ status: 0, loaded: 0 });
  });

  test('asks again when what a trusted module imports has changed', async () => {
    using project = new Project();
    const helper = join(project.path, 'helper.mjs');
    writeFileSync(helper, 'export const text = 1;');
    writeFileSync(project.module, `import './helper.mjs';\n${readFileSync(project.module, 'utf8')}`);
    expect((await project.anew([...HI, '--trust'])).status).toBe(0);
    expect((await project.anew(HI)).status).toBe(0);
    writeFileSync(helper, 'export const text = 2;');
    const { status, stderr } = await project.anew(HI);
    expect([status, project.loaded]).toEqual([2, 2]);
    expect(stderr).toContain(`not trusted: ${helper} (changed since you trusted it`);
  });

  test('is not even read with --no-trust', async () => {
    using project = new Project();
    writeFileSync(project.config, 'no JSON');
    expect((await project.here([...HI, '--no-trust'])).status).toBe(0);
    expect((await project.here(HI)).status).toBe(2);
  });

  test('that names a device as a module is refused, and the device is not read', async () => {
    using project = new Project();
    writeFileSync(project.config, '{"tools":["/dev/zero"]}');
    for (const args of [HI, [...HI, '--trust'], ['config']]) {
      const { status, stderr } = await project.here(args);
      expect([status, stderr]).toEqual([
        2,
        'error: cannot read `/dev/zero`: it is not a file\nhint: make it a readable file, or move it elsewhere\n',
      ]);
    }
  });

  test('is trusted with --trust, and stays so until a file of it changes', async () => {
    using project = new Project();
    const trusted = await project.anew([...HI, '--trust']);
    const again = await project.anew(HI);
    expect([trusted.status, again.status, project.loaded]).toEqual([0, 0, 2]);
    project.write('second');
    const changed = await project.anew(HI);
    expect({ status: changed.status, loaded: project.loaded }).toEqual({ status: 2, loaded: 2 });
    expect(changed.stderr).toContain(`${project.module} (changed since you trusted it, `);
    expect(changed.stderr).not.toContain(project.config);
    writeFileSync(project.config, '{"baseUrl":"http://127.0.0.1:9"}');
    const moved = await project.anew(HI);
    expect(moved.status).toBe(2);
    expect(moved.stderr).toContain(`${project.config} (changed since you trusted it, `);
  });

  test('is shown by `hitl config` as not used, without asking', async () => {
    using project = new Project();
    const { status, stdout, stderr } = await project.here(['config', '--json']);
    const document = JSON.parse(stdout) as { settings: { key: string }[] };
    expect({ status, stderr, ...document }).toMatchObject({
      status: 0,
      stderr: '',
      project: { file: project.config, trusted: false },
    });
    const turns = (text: string) =>
      (JSON.parse(text) as typeof document).settings.find(({ key }) => key === 'maxTurns');
    expect(turns(stdout)).toEqual({ key: 'maxTurns', value: 50, source: 'default', from: '' });
    await project.here([...HI, '--trust']);
    const after = await project.here(['config', '--json']);
    expect(turns(after.stdout)).toEqual({
      key: 'maxTurns',
      value: 9,
      source: 'project',
      from: `${project.config}:1`,
    });
  });

  test('never brings its .env with it (T7)', async () => {
    using project = new Project({ configured: false });
    writeFileSync(join(project.path, '.env'), 'HITL_MAX_TURNS=3\nHITL_HOME=/nowhere\n');
    const { stdout } = await project.here(['config', '--json']);
    const { file, settings } = JSON.parse(stdout) as { file: string; settings: unknown[] };
    expect(file).toBe(join(project.path, 'config.json'));
    expect(settings).toContainEqual({ key: 'maxTurns', value: 50, source: 'default', from: '' });
  });
});

describe('G34 a configuration that is a module', () => {
  const moduleOf = (project: Project): string => join(project.path, 'hitl.config.ts');

  /** Leaves a mark of its own, and names the tools. */
  function write(project: Project, config = "{ tools: ['./tools.mjs'], maxTurns: 9 as number }"): void {
    const mark = JSON.stringify(join(project.path, 'ran'));
    writeFileSync(
      moduleOf(project),
      `import { appendFileSync } from 'node:fs';\nappendFileSync(${mark}, 'x');\nexport default ${config};\n`,
    );
  }

  const ran = (project: Project): boolean => existsSync(join(project.path, 'ran'));

  test('runs only once it is trusted, and so do the modules that it names', async () => {
    using project = new Project({ configured: false });
    write(project);
    for (const args of [HI, [...HI, '--no-trust'], ['config']]) await project.here(args);
    expect({ ran: ran(project), loaded: project.loaded }).toEqual({ ran: false, loaded: 0 });
    expect((await project.here(HI)).status).toBe(2);
    expect((await project.here([...HI, '--trust'])).status).toBe(0);
    expect({ ran: ran(project), loaded: project.loaded }).toEqual({ ran: true, loaded: 1 });
    const { stdout } = await project.here(['config', '--json']);
    expect((JSON.parse(stdout) as { settings: unknown[] }).settings).toContainEqual({
      key: 'maxTurns',
      value: 9,
      source: 'project',
      from: moduleOf(project),
    });
    project.write('second');
    const changed = await project.here(HI);
    expect({ status: changed.status, loaded: project.loaded }).toEqual({ status: 2, loaded: 1 });
    expect(changed.stderr).toContain(`${project.module} (changed since you trusted it, `);
  });

  test.for([
    ['{ maxTurn: 9 }', 'unknown key `maxTurn`'],
    ['{ maxTurns: 0 }', 'maxTurns'],
    ['() => ({})', 'Invalid input: expected object'],
    ['(() => { throw new Error("no"); })()', 'no'],
  ])('%s is an error that says why', async ([config, why]) => {
    using project = new Project({ configured: false });
    write(project, config);
    const { status, stderr } = await project.here([...HI, '--trust']);
    expect({ status, ids: project.ids() }).toEqual({ status: 2, ids: [] });
    expect(stderr).toContain(why);
  });

  test('beside one in JSON is an error that names both, and neither is loaded', async () => {
    using project = new Project();
    write(project);
    const { status, stderr } = await project.here([...HI, '--trust']);
    expect({ status, ran: ran(project), loaded: project.loaded }).toEqual({
      status: 2,
      ran: false,
      loaded: 0,
    });
    expect(stderr).toContain(`this folder has both \`${project.config}\` and \`${moduleOf(project)}\``);
  });
});

describe('G34 at a terminal', () => {
  test('a person is asked once, and Enter is no yes', async () => {
    using project = new Project();
    {
      using terminal = new Terminal(project, [...HI]);
      await terminal.until('Trust and load?');
      expect(terminal.shown).toContain(`Not trusted: this folder’s configuration\n  ${project.config}`);
      expect(terminal.shown).toContain('tools: ["./tools.mjs"]  (runs code with your permissions');
      await terminal.press('\r', 'n');
      expect(await terminal.ended).toBe(0);
    }
    expect({ loaded: project.loaded, kept: existsSync(project.store) }).toEqual({ loaded: 0, kept: false });
    {
      using terminal = new Terminal(project, [...HI]);
      await terminal.until('Trust and load?');
      await terminal.press('y');
      expect(await terminal.ended).toBe(0);
    }
    using terminal = new Terminal(project, [...HI]);
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown).not.toContain('Trust and load?');
    expect(project.loaded).toBe(2);
  });
});

describe('G34 the tool modules of a session', () => {
  const named = [...HI, '--tools', 'tools.mjs'] as const;

  test('that a flag named are trusted as they were then', async () => {
    using project = new Project({ configured: false });
    expect((await project.anew(named)).status).toBe(0);
    expect((await project.anew(['resume', '--last', '-p', '--message', 'hi'])).status).toBe(0);
    expect(project.loaded).toBe(2);
    project.write('second');
    const { status, stderr } = await project.anew(['resume', '--last', '-p', '--message', 'hi']);
    expect({ status, loaded: project.loaded }).toEqual({ status: 2, loaded: 2 });
    expect(stderr).toContain(`error: a tool module of this session is not trusted: ${project.module}`);
    const allowed = await project.anew(['resume', '--last', '--trust', '-p', '--message', 'hi']);
    expect({ status: allowed.status, loaded: project.loaded }).toEqual({ status: 0, loaded: 3 });
  });

  test('are found at the same place of another checkout, and trusted there first', async () => {
    using project = new Project({ configured: false });
    const [first, second] = ['first', 'second'].map((name) => join(project.work, name)) as [string, string];
    for (const folder of [first, second]) {
      mkdirSync(folder);
      cpSync(project.module, join(folder, 'tools.mjs'));
    }
    expect((await project.run(named, { cwd: first })).status).toBe(0);
    rmSync(first, { recursive: true });
    const resumed = ['resume', '--last', '-p', '--message', 'hi'];
    const refused = await project.run(resumed, { cwd: second });
    expect({ status: refused.status, loaded: project.loaded }).toEqual({ status: 2, loaded: 1 });
    expect(refused.stderr).toContain(join(second, 'tools.mjs'));
    const trusted = await project.run([...resumed, '--trust'], { cwd: second });
    expect({ status: trusted.status, loaded: project.loaded }).toEqual({ status: 0, loaded: 2 });
    const elsewhere = await project.run([...resumed, '--trust'], { cwd: project.work });
    expect(elsewhere).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('hint: specify its new location: --tools <module>') as string,
    });
  });

  test('are not trusted where the session came from another machine or user (T16)', async () => {
    using theirs = new Project({ configured: false });
    await theirs.here(named);
    using mine = new Home();
    mkdirSync(mine.sessions, { mode: 0o700 });
    cpSync(join(theirs.sessions, theirs.id), join(mine.sessions, theirs.id), { recursive: true });
    const { status } = await mine.run(['resume', '--last', '-p', '--message', 'hi']);
    expect({ status, loaded: theirs.loaded }).toEqual({ status: 2, loaded: 1 });
  });

  test('leave no trace of trust with --no-save', async () => {
    using project = new Project({ configured: false });
    expect((await project.here([...named, '--no-save'])).status).toBe(0);
    expect(existsSync(project.store)).toBe(false);
  });
});

describe('T16 an imported session', () => {
  test('brings no approval, no rule, no model and no module', async () => {
    using home = new Home();
    const ask = 'Transfer 200 to ABC123';
    const always = '{"action":"restart","always":"tool"}\n';
    await home.run(['chat', '-p', ask], { input: always });
    const ruled = home.id;
    await home.run(['resume', ruled, '-p', '--no-input', '--message', 'Transfer 300 to DEF456']);
    expect(home.transfers(ruled)).toHaveLength(2);
    await home.run(['chat', '-p', ask]);
    const waiting = home.ids().find((id) => id !== ruled) ?? '';
    await home.run(['answer', waiting, 'y', '--digest', home.digest('i1', waiting)]);

    const file = join(home.path, 'approved.json');
    for (const [from, more] of [
      [waiting, []],
      [ruled, ['--message', 'Transfer 400 to GHI789']],
    ] as const) {
      writeFileSync(file, (await home.run(['export', from])).stdout);
      const copy = (await home.run(['import', file])).stdout.trim();
      const { status } = await home.run(['resume', copy, '-p', '--no-input', ...more]);
      // It is asked again: nothing that was agreed to elsewhere runs here.
      expect({ status, transfers: home.transfers(copy) }).toEqual({ status: 3, transfers: [] });
      expect(home.events(copy)[0]).toMatchObject({
        parent: { kind: 'import' },
        agent: { model: '', tools: [] },
      });
    }
  });
});

describe('G34 what is trusted', () => {
  test.for(['others may write it', 'it is a link', 'it is damaged', 'it is of a later version'])(
    'counts for nothing where %s',
    async (what) => {
      using project = new Project();
      await project.here([...HI, '--trust']);
      const { mode } = statSync(project.store);
      expect(mode & 0o777).toBe(0o600);
      spoil(project.store, what);
      const { status } = await project.here(HI);
      expect({ status, loaded: project.loaded }).toEqual({ status: 2, loaded: 1 });
    },
  );
});

function spoil(store: string, what: string): void {
  const text = readFileSync(store, 'utf8');
  if (what === 'others may write it') chmodSync(store, 0o622);
  else if (what === 'it is a link') {
    renameSync(store, `${store}.real`);
    symlinkSync(`${store}.real`, store);
  } else if (what === 'it is damaged') writeFileSync(store, text.slice(1));
  else {
    rmSync(store);
    writeFileSync(store, text.replace('"version": 1', '"version": 2'), { mode: 0o600 });
  }
}

describe('what lies beside a workflow', () => {
  test.for([
    { args: ['graph', 'flow.yaml'], what: 'a module of this workflow' },
    { args: ['run', 'flow.yaml', '--model', 'demo'], what: 'a module of this workflow' },
    { args: ['run', '.', '--model', 'demo'], what: 'one of this workflow’s modules' },
  ])('is not loaded by hitl $args before a person trusts it (G34)', async ({ args, what }) => {
    using home = new Home();
    const mark = join(home.path, 'mark');
    writeFileSync(
      join(home.path, 'flow.yaml'),
      'name: x\nend: [a]\nnodes:\n  a: { kind: set, set: { k: 1 } }\n',
    );
    writeFileSync(
      join(home.path, 'parts.mjs'),
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(mark)}, ''); export const functions = {};\n`,
    );
    const refused = await home.run(args, { cwd: home.path });
    expect([refused.status, refused.stdout, existsSync(mark)]).toEqual([2, '', false]);
    expect(refused.stderr).toContain(`error: ${what} is not trusted: `);
    expect(refused.stderr).toContain(`${join(home.path, 'parts.mjs')}\n`);
    const trusted = await home.run([...args, '--trust'], { cwd: home.path });
    expect([trusted.status, existsSync(mark)]).toEqual([0, true]);
    expect((await home.run(args, { cwd: home.path })).status).toBe(0);
  });
});
