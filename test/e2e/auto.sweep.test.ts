import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { whyNoSandbox } from '../attention/play.js';
import { killAt } from '../helpers/kill-at.js';
import { Home } from '../helpers/program.js';
import { scriptModel } from '../helpers/tool-module.js';

const holdsNot = await whyNoSandbox();

const FILES = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' };
const COMMAND = 'for f in a b c; do echo more >> $f.txt; done; echo new > new.txt';

/** A session whose model runs a command in the mode auto, in a folder with three files. */
class Scene implements Disposable {
  readonly home = new Home();
  readonly #model: string;

  constructor(command = COMMAND) {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(this.home.work, name), text);
    const tools = [{ name: 'run_command', input: { command, writes: true } }];
    this.#model = scriptModel(this.home, [{ tools }, { text: 'done' }]);
  }

  play(more: { readonly env?: Record<string, string> } = {}) {
    const args = ['chat', '-p', 'go', '--model', this.#model, '--mode', 'auto'];
    return this.home.run(args, { cwd: this.home.work, ...more });
  }

  run(...args: readonly string[]) {
    return this.home.run(args, { cwd: this.home.work });
  }

  files(): Record<string, string> {
    const names = readdirSync(this.home.work)
      .filter((name) => name.endsWith('.txt'))
      .toSorted();
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(this.home.work, name), 'utf8')]));
  }

  started(): string {
    return String(this.home.events().findIndex(({ type }) => type === 'tool-started'));
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }
}

const AFTER = { 'a.txt': 'a\nmore\n', 'b.txt': 'b\nmore\n', 'c.txt': 'c\nmore\n', 'new.txt': 'new\n' };

describe.skipIf(holdsNot !== undefined)(
  'a process in the mode auto that is killed',
  { timeout: 60_000 },
  () => {
    test.for([
      ['before', 'file-noted', 1],
      ['after', 'file-noted', 1],
      ['before', 'file-noted', 3],
      ['after', 'file-noted', 3],
      ['before', 'file-noted', 4],
      ['before', 'tool-settled', 1],
    ] as const)('%s %s %i: what it changed is told, and undone', async ([side, type, nth]) => {
      using scene = new Scene();
      expect((await scene.play({ env: killAt(scene.home, side, type, nth) })).status).toBe(137);
      const hasNoted = scene.home.events().some(({ type: of }) => of === 'file-noted');
      expect(hasNoted).toBe(!(side === 'before' && nth === 1 && type === 'file-noted'));
      // Before the first file came back nothing had happened, and it is repeated untold; after that a person is asked.
      const resumed = await scene.run('resume', scene.home.id, '-p', '--no-input');
      if (!hasNoted) {
        expect([resumed.status, scene.files()]).toEqual([0, AFTER]);
        expect(resumed.stdout).toBe('done\n');
      } else {
        expect(resumed.status).toBe(3);
        expect(JSON.stringify(scene.home.events())).toContain('"kind":"in-doubt"');
      }
      const back = await scene.run('rewind', scene.home.id, '--to', scene.started(), '--files');
      expect([back.status, scene.files()]).toEqual([0, FILES]);
      expect((await scene.run('audit', 'verify', scene.home.id)).status).toBe(0);
    });

    test('while the command runs: the folder is as it was, and it runs again without a question', async () => {
      using scene = new Scene(`echo more >> a.txt; sleep 0.${Date.now() % 1000}5`);
      const playing = scene.play({ env: killAt(scene.home, 'after', 'tool-started', 1) });
      expect((await playing).status).toBe(137);
      expect(scene.files()).toEqual(FILES);
      const resumed = await scene.run('resume', scene.home.id, '-p', '--no-input');
      expect([resumed.status, resumed.stdout, scene.files()['a.txt']]).toEqual([0, 'done\n', 'a\nmore\n']);
    });
  },
);

describe.skipIf(holdsNot !== undefined)('a session in the mode auto', { timeout: 60_000 }, () => {
  test('tells what changed and what not, lists it for review, and undoes it', async () => {
    using scene = new Scene(`${COMMAND}; echo x > Makefile; rm c.txt`);
    const ran = await scene.play();
    expect(ran).toMatchObject({ status: 0, stdout: 'done\n' });
    expect(scene.files()).toEqual({ 'a.txt': AFTER['a.txt'], 'b.txt': AFTER['b.txt'], 'new.txt': 'new\n' });
    expect(ran.stderr).toContain('4 files changed, +3 −1');
    expect(ran.stderr).toContain('not kept: Makefile (runs later: make and similar tools run');
    const review = await scene.run('review', '--json');
    expect(review.stdout).toContain('mode auto');
    const back = await scene.run('rewind', scene.home.id, '--to', scene.started(), '--files');
    expect([back.status, scene.files(), existsSync(join(scene.home.work, 'Makefile'))]).toEqual([
      0,
      FILES,
      false,
    ]);
  });

  test('asks where the model wants the question, or a rule of the person does', async () => {
    using scene = new Scene();
    const tools = [{ name: 'run_command', input: { command: 'echo x > Makefile', writes: true, ask: true } }];
    const model = scriptModel(scene.home, [{ tools }, { text: 'done' }]);
    const args = ['chat', '-p', 'go', '--model', model, '--mode', 'auto'];
    const ran = await scene.home.run(args, { cwd: scene.home.work, input: 'y\n' });
    expect([ran.status, readFileSync(join(scene.home.work, 'Makefile'), 'utf8')]).toEqual([0, 'x\n']);
    using other = new Scene();
    writeFileSync(
      join(other.home.path, 'config.json'),
      '{"rules":{"deny":["run_command"],"ask":["edit_file b.txt"]}}',
    );
    expect((await other.play()).status).toBe(0);
    expect(other.files()).toEqual(FILES);
    writeFileSync(join(other.home.path, 'config.json'), '{"rules":{"ask":["edit_file b.txt"]}}');
    expect((await other.play()).status).toBe(0);
    expect(other.files()).toEqual({ ...AFTER, 'b.txt': 'b\n' });
  });
});
