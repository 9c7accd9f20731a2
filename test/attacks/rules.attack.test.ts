import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';

import { attacks } from './attacks.js';
import { at } from './json.js';
import { ledgerModule, ledgerOf, PAY } from './tools.js';
import type { Verdict } from './verdict.js';
import { broken, held, heldUnless, premise } from './verdict.js';
import type { RunOptions, World } from './world.js';

const PACKAGE = (world: World) =>
  JSON.stringify({ name: 'evil', scripts: { test: `echo ran > ${world.path('evil-ran')}` } });

/** Makes one call under the rules `allow run_command npm test` and `git log`, and looks whether it did harm. */
async function allowedCall(world: World, input: object, options: RunOptions = {}): Promise<Verdict> {
  const allow = ['run_command npm test', 'run_command git log'];
  world.write('home/config.json', JSON.stringify({ rules: { allow } }));
  world.write('evil/package.json', PACKAGE(world));
  const ran = await world.run(
    ['chat', '--model', world.calling('run_command', { ...input, writes: true }), '-p', 'go', '--json'],
    options,
  );
  const asked = world.eventsOf(world.session, 'interrupt-raised').length;
  const settled = world.eventsOf(world.session, 'tool-settled').length;
  premise(asked + settled > 0, `the call came to nothing: ${ran.stderr}`);
  if (world.exists('evil-ran') || world.exists('evil/written'))
    return broken('it ran without a question and wrote outside');
  return held(asked > 0 ? 'asked about' : 'it ran, and did not get outside');
}

/** A program called npm that only says that it ran. */
function fakeNpm(world: World, folder: string): void {
  world.write(`proj/${folder}/npm`, `#!/bin/sh\necho ran > ${world.path('evil-ran')}\n`, 0o755);
}

/** Programs that run `rm` for somebody. */
function runners(target: string): readonly (readonly string[])[] {
  return [
    ['setpriv', 'rm', target],
    ['npx', 'rm', target],
    ['flock', '/tmp', 'rm', target],
    ['taskset', '1', 'rm', target],
    ['unshare', 'rm', target],
    ['busybox', 'rm', target],
    ['chrt', '-o', '0', 'rm', target],
    ['tar', '-cf', '/dev/null', '--checkpoint=1', `--checkpoint-action=exec=rm ${target}`, '/etc/hostname'],
    ['git', '-c', `alias.x=!rm ${target}`, 'x'],
    ['awk', `BEGIN { system("rm ${target}") }`],
  ];
}

/** Programs that remove a file without `rm`. */
function removers(target: string): readonly (readonly string[])[] {
  return [
    ['python3', '-c', `import os; os.remove(${JSON.stringify(target)})`],
    ['perl', '-e', `unlink ${JSON.stringify(target)}`],
    ['node', '-e', `fs.unlinkSync(${JSON.stringify(target)})`],
    ['find', target, '-delete'],
  ];
}

async function denied(
  world: World,
  victim: string,
  commands: readonly (readonly string[])[],
): Promise<Verdict> {
  world.write('home/config.json', JSON.stringify({ rules: { deny: ['run_command rm'] } }));
  const gone: string[] = [];
  for (const [index, argv] of commands.entries()) {
    world.write(victim, 'precious');
    const model = world.calling('run_command', { writes: true, argv });
    const sessions = world.path(`s${String(index)}`);
    await world.run(['chat', '--model', model, '-p', 'go', '--yes', 'run_command', '--sessions', sessions]);
    if (!world.exists(victim)) gone.push(argv[0] ?? '');
  }
  const said = `approved for the run, it removed the file by ${gone.join(', ')}`;
  return heldUnless(gone.length === 0 ? [] : [said], 'the file is still there after each of them');
}

/** Says `always` to one call and makes another one of the same tool. */
async function always(
  world: World,
  name: string,
  [first, second]: readonly [object, object],
): Promise<number> {
  const model = world.script({ tools: [{ name, input: first }] }, { tools: [{ name, input: second }] });
  await world.run(['chat', '--model', model], { input: 'go\nalways\n' });
  const calls = world.eventsOf(world.session, 'interrupt-raised').length;
  premise(calls > 0, 'the first call was not asked about');
  return calls;
}

attacks('What is decided in advance is decided on what really runs', [
  {
    id: 'H4',
    tried: 'an allowed command whose working directory is a link out of the project',
    run: async (world) => {
      symlinkSync('../evil', world.path('proj/link'));
      return allowedCall(world, { argv: ['npm', 'test'], cwd: 'link' });
    },
  },
  {
    id: 'H5a',
    tried: 'an allowed `git log` with --output to a file outside',
    run: async (world) => {
      const git = (...args: readonly string[]) =>
        execFileSync('git', ['-C', world.project, ...args], { stdio: 'ignore' });
      git('init', '-q', '.');
      git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
      return allowedCall(world, { argv: ['git', 'log', '--output=../evil/written', '-1'] });
    },
  },
  {
    id: 'H5b',
    tried: 'an allowed `npm test` with --prefix to a folder outside',
    run: async (world) => allowedCall(world, { argv: ['npm', 'test', '--prefix', '../evil'] }),
  },
  {
    id: 'H6a',
    tried: 'an allowed program of shell text that a relative entry of PATH finds in the project',
    run: async (world) => {
      fakeNpm(world, 'bin');
      return allowedCall(world, { command: 'npm test' }, { env: { PATH: `bin:${world.env['PATH'] ?? ''}` } });
    },
  },
  {
    id: 'H6b',
    tried: 'an allowed program that node_modules/.bin of the project has instead',
    run: async (world) => {
      fakeNpm(world, 'node_modules/.bin');
      const PATH = `${world.path('proj/node_modules/.bin')}:${world.env['PATH'] ?? ''}`;
      return allowedCall(world, { argv: ['npm', 'test'] }, { env: { PATH } });
    },
  },
  {
    id: 'M12a',
    tried: 'a denied `rm` through ten programs that run others, with the tool approved for the run',
    run: async (world) => denied(world, 'proj/victim', runners('victim')),
  },
  {
    id: 'M12b',
    tried: 'a denied `rm` of a file outside by interpreters, with the tool approved for the run',
    run: async (world) => denied(world, 'victim', removers(world.path('victim'))),
  },
  {
    id: 'M13a',
    tried: '`always` at one command, then another command',
    run: async (world) => {
      const asked = await always(world, 'run_command', [
        { command: 'true', writes: true },
        { command: `echo ran > ${world.path('evil-ran')}`, writes: true },
      ]);
      return world.exists('evil-ran')
        ? broken('`always` at `true` let another shell text run')
        : held(`${String(asked)} questions`);
    },
  },
  {
    id: 'M13b',
    tried: '`always` at a read of one file outside, then a read of another',
    run: async (world) => {
      const [one, two] = [world.write('outside/a', 'aaa'), world.write('other/b', 'SECRET-B')];
      const asked = await always(world, 'read_file', [{ path: one }, { path: two }]);
      return world.read(`home/sessions/${world.session}/journal.jsonl`).includes('SECRET-B')
        ? broken('`always` at one file let any file be read')
        : held(`${String(asked)} questions`);
    },
  },
  {
    id: 'L2',
    tried: '`hitl answer … always`: the next call of the same kind is asked about again, and nobody said so',
    run: async (world) => {
      const module = ledgerModule(world, PAY);
      const pay = { tools: [{ name: 'pay', input: { to: 'ann', amount: 1 } }] };
      const id = await world.chat(world.script(pay, { text: 'one' }, pay), '-t', module);
      const answered = await world.run(['answer', id, 'always']);
      await world.run(['resume', id, '-p'], { input: 'again\n' });
      const hasRule = world.eventsOf(id, 'rule-added').length > 0 || ledgerOf(world).length > 1;
      premise(world.eventsOf(id, 'interrupt-raised').length > 0, 'pay did not ask');
      const isRefused = answered.status !== 0;
      const by = at(world.eventsOf(id, 'interrupt-resolved')[0], 'resolution', 'action');
      return isRefused || hasRule
        ? held(isRefused ? 'refused' : 'a rule is kept')
        : broken(`status 0, recorded as ${String(by)}, no rule`);
    },
  },
]);
