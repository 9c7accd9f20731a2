import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { spawn } from '@lydell/node-pty';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { Home, PROGRAM } from '../helpers/program.js';

const home = new Home();
const env = { ...home.env, PATH: `${home.path}/bin:${process.env['PATH'] ?? ''}`, TERM: 'xterm' };
const PATIENCE_MS = 60_000;

beforeAll(() => {
  mkdirSync(join(home.path, 'bin'));
  mkdirSync(join(home.path, 'work'));
  const program = join(home.path, 'bin/hitl');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(home.path, 'work/notes and more.json'), '{}');
  writeFileSync(join(home.path, 'work/plain.json'), '{}');
});
afterAll(() => {
  home[Symbol.dispose]();
});

function has(shell: string): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

/** Runs a script in a shell that has loaded the completion. */
function play(shell: string, script: string): string {
  const loaded = shell === 'fish' ? 'hitl completion fish | source' : `source <(hitl completion ${shell})`;
  const { stdout, stderr } = spawnSync(shell, ['-c', `${loaded}\n${script}`], {
    ...{ env, encoding: 'utf8' },
    cwd: join(home.path, 'work'),
  });
  return `${stdout}${stderr}`;
}

describe.skipIf(!has('bash'))('completion in bash', () => {
  /** Completes as Readline does: calls the function, and falls back to files where it finds nothing. */
  function complete(...words: readonly string[]): readonly string[] {
    const list = words.map((word) => `'${word}'`).join(' ');
    const script = `COMP_WORDS=(hitl ${list}); COMP_CWORD=${words.length}; _hitl; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return play('bash', script)
      .split('\n')
      .filter((line) => line !== '');
  }

  test('offers commands, values and subcommands, and leaves files to bash', () => {
    expect(complete('resu')).toEqual(['resume']);
    expect(complete('rules', '')).toEqual(['list', 'add', 'remove', 'test']);
    expect(complete('export', 'x', '--format', 'm')).toEqual(['markdown']);
    expect(complete('import', 'pl')).toEqual([]);
    expect(play('bash', 'complete -p hitl').trim()).toBe('complete -o default -F _hitl hitl');
  });
});

describe.skipIf(!has('fish'))('completion in fish', () => {
  function complete(line: string): readonly string[] {
    return play('fish', `complete -C '${line}'`)
      .split('\n')
      .filter((found) => found !== '')
      .map((found) => found.split('\t')[0] ?? '');
  }

  test('offers commands, values, subcommands and files', () => {
    expect(complete('hitl resu')).toEqual(['resume']);
    expect([...complete('hitl rules ')].sort()).toEqual(['add', 'list', 'remove', 'test']);
    expect(complete('hitl export x --format m')).toEqual(['markdown']);
    expect(complete('hitl import pl')).toEqual(['plain.json']);
  });
});

describe.skipIf(!has('zsh'))('completion in zsh', () => {
  /** Types a line and a tab in an interactive zsh, and returns what the line has become. */
  async function complete(line: string): Promise<string> {
    const cwd = join(home.path, 'work');
    const shell = spawn('zsh', ['-f', '-i'], { cwd, env, cols: 200, rows: 40 });
    let output = '';
    const until = async (text: string): Promise<void> => {
      const end = performance.now() + PATIENCE_MS;
      while (!output.includes(text)) {
        if (performance.now() > end) throw new Error(`zsh did not print ${text}: ${output}`);
        await setTimeout(20);
      }
    };
    shell.onData((data) => {
      output += data;
    });
    try {
      shell.write("PS1='> '; source <(hitl completion zsh); compinit -D -u; echo rea''dy\n");
      await until('ready');
      // The line goes into a variable instead of being run.
      shell.write(
        'finish() { print -r -- "<""<$BUFFER>"">"; BUFFER=; zle accept-line }; zle -N finish; bindkey \'^G\' finish; echo bou\'\'nd\n',
      );
      await until('bound');
      shell.write(`${line}\t\u0007`);
      await until('>>');
      return /<<([^]*?)>>/u.exec(output.slice(output.lastIndexOf('<<')))?.[1] ?? '';
    } finally {
      shell.kill();
    }
  }

  test('completes a command, a value and a file', async () => {
    expect((await complete('hitl resu')).trim()).toBe('hitl resume');
    expect((await complete('hitl export x --format m')).trim()).toBe('hitl export x --format markdown');
    expect((await complete('hitl import pl')).trim()).toBe('hitl import plain.json');
  });
});
