import { spawn } from 'node:child_process';

import { median } from '../harness/statistics.mjs';
import { temporaryHome } from '../harness/temporary-home.mjs';
import { programOf } from './programs.mjs';

/** Takes the network away, but for the machine's own loop; what a program leaves running ends with it. */
const ALONE = [
  ...['unshare', '--map-root-user', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'],
  ...['sh', '-c', 'ip link set lo up; exec "$@"', 'sh'],
];

/** What programs ask a terminal, and what it says: a white cursor on black, at the upper left. */
const ANSWERS = [
  ['\u001b[6n', '\u001b[1;1R'],
  ['\u001b[c', '\u001b[?62;c'],
  ['\u001b[?u', '\u001b[?0u'],
  ['\u001b]10;?', '\u001b]10;rgb:ffff/ffff/ffff\u001b\\'],
  ['\u001b]11;?', '\u001b]11;rgb:0000/0000/0000\u001b\\'],
];

// oxlint-disable-next-line no-control-regex -- these sequences begin with one
const SEQUENCE = /\u001b(?:\[[0-9;?<>=]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[78])/g;

function toEnd([file, ...args], options, input) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const child = spawn(file, args, { ...options, stdio: [stdin, 'ignore', 'ignore'] });
    child.stdin?.end(input);
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(performance.now() - start) : reject(new Error(`status ${code}`)),
    );
  });
}

/** Until a terminal shows a text; programs may place its words with the cursor, so that spaces do not count. */
async function toText([file, ...args], options, text) {
  const { spawn: spawnTerminal } = await import('@lydell/node-pty');
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const terminal = spawnTerminal(file, args, { ...options, cols: 100, rows: 30, name: 'xterm-256color' });
    const wanted = text.replaceAll(' ', '');
    let seen = '';
    terminal.onData((piece) => {
      seen += piece;
      if (seen.replace(SEQUENCE, '').replace(/\s/g, '').includes(wanted)) {
        resolve(performance.now() - start);
        terminal.kill('SIGKILL');
        return;
      }
      for (const [asked, answer] of ANSWERS) if (piece.includes(asked)) terminal.write(answer);
    });
    terminal.onExit(() => reject(new Error(`no prompt: ${seen.slice(-200)}`)));
  });
}

/**
 * Starts a program again and again, and before it or after it, by turns, an empty Node.
 * @param params `{ program, words, times? }`: a name of `programs.mjs` and what it is to do; without `words`, its prompt
 */
export async function measure({ program, words, times = 5 }, tell = () => undefined) {
  const { command, prompt, home = {}, env: own, input, alone = false } = programOf(program);
  const call = [...(alone ? ALONE : []), ...command, ...(words ?? prompt.words)];
  const { remove, cwd, env } = temporaryHome(home);
  const options = { cwd, env: { ...env, ...own?.(env.HOME) } };
  const start = () =>
    words === undefined ? toText(call, options, prompt.shows) : toEnd(call, options, input?.(cwd));
  const empty = () => toEnd([process.execPath, '-e', '0'], options);
  await start(); // files are read from the disk once
  const starts = [];
  for (let time = 0; time < times; time += 1) {
    const [emptyMs, ms] =
      time % 2 === 0 ? [await empty(), await start()] : [await start(), await empty()].reverse();
    starts.push({ ms, overNode: ms / emptyMs });
    tell(numbersOf(starts));
  }
  remove();
  return numbersOf(starts);
}

function numbersOf(starts) {
  const [walls, ratios] = [starts.map(({ ms }) => ms), starts.map(({ overNode }) => overNode)];
  return {
    ms: median(walls),
    leastMs: Math.min(...walls),
    overNode: median(ratios),
    leastOverNode: Math.min(...ratios),
  };
}
