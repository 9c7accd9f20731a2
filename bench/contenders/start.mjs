import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { program } from '../harness/places.mjs';

const interfaceOf = `require('node:readline').createInterface({ input: process.stdin, output: process.stdout })`;

const commands = {
  node: () => ['-e', '0'],
  version: () => [program, '--version'],
  help: () => [program, '--help'],
  list: () => [program, 'list'],
  readline: () => ['-e', `${interfaceOf}.question('> ', () => undefined)`],
  chat: () => [program, 'chat', '--model', 'demo'],
};

/** Those that are measured up to their first prompt, in a terminal. */
const prompts = new Set(['readline', 'chat']);

function toEnd(file, args, options) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'ignore', 'ignore'] });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(performance.now() - start) : reject(new Error(`status ${code}`)),
    );
  });
}

async function toPrompt(file, args, { cwd, env }) {
  const { spawn: spawnTerminal } = await import('@lydell/node-pty');
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const terminal = spawnTerminal(file, args, { cwd, env, cols: 80, rows: 24, name: 'xterm-256color' });
    let seen = '';
    terminal.onData((text) => {
      seen += text;
      if (!seen.includes('> ')) return;
      resolve(performance.now() - start);
      terminal.kill('SIGKILL');
    });
    terminal.onExit(() => reject(new Error(`no prompt: ${seen}`)));
  });
}

/** @param params `{ how, times? }`; `file` and `args` name another program */
export async function measure({ how, file = process.execPath, args, times = 5 }) {
  const home = mkdtempSync(path.join(process.env.BENCH_TMP ?? tmpdir(), 'hitl-bench-'));
  const env = {
    PATH: process.env.PATH,
    TERM: 'xterm-256color',
    HOME: home,
    XDG_CONFIG_HOME: path.join(home, 'config'),
    XDG_STATE_HOME: path.join(home, 'state'),
    XDG_DATA_HOME: path.join(home, 'data'),
  };
  const words = args ?? commands[how]();
  const start = prompts.has(how) ? toPrompt : toEnd;
  const walls = [];
  await start(file, words, { cwd: home, env }); // files are read from the disk once
  for (let time = 0; time < times; time += 1) walls.push(await start(file, words, { cwd: home, env }));
  rmSync(home, { recursive: true, force: true });
  walls.sort((a, b) => a - b);
  return { ms: walls[times >> 1], leastMs: walls[0] };
}
