import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HitlError, shown, joined, escapeText, laidOut, escapeLines } from '../src/core/index.js';
import { startProgram } from '../src/programs/index.js';
import type { Io } from './host/index.js';
import { IN_TOUR, isAskable, tell } from './host/index.js';
import type { CommonFlags } from './flags/options.js';

/** One step of the tour. */
interface Stop {
  readonly title: string;
  readonly say: string;
  readonly args: readonly string[];
  /** Lines to enter on the user's behalf if there is no terminal. */
  readonly lines: readonly string[];
  /** Whether to kill the process as soon as it asks its question. */
  readonly crash?: boolean;
  /** Exit statuses expected when the step runs automatically. Default: 0. */
  readonly expects?: readonly number[];
}

/** Exit status of a step if the user presses Ctrl-C twice and leaves the question open. */
const LEFT_OPEN = 3;

const TOUR: readonly Stop[] = [
  {
    title: 'A question',
    say: 'The model may ask you. Choose an answer or type your own.',
    args: ['chat', '--model', 'demo', '--print', 'Plan a barbecue'],
    lines: ['1', '1', '1'],
  },
  {
    title: 'An approval',
    say: 'Transfers above 100 need approval. Press y to approve.',
    args: ['chat', '--model', 'demo', '--print', 'Transfer 200 to ABC123'],
    lines: ['y'],
  },
  {
    title: 'An edit',
    say: 'Press e, change the amount, and confirm. The edited input runs.',
    args: ['chat', '--model', 'demo', '--print', 'Transfer 300 to DEF456'],
    lines: ['edit +{"amount":150}'],
  },
  {
    title: 'A cancelled call',
    say: 'Press c to cancel. The call does not run, and the model is informed.',
    args: ['chat', '--model', 'demo', '--print', 'Transfer 400 to GHI789'],
    lines: ['c'],
  },
  {
    title: 'A crash',
    say: 'This process is killed (kill -9) while its question is open.',
    args: ['chat', '--model', 'demo', '--print', '--no-input', 'Transfer 250 to JKL012'],
    lines: [],
    crash: true,
    expects: [3, 137],
  },
  {
    title: 'A resumed session',
    say: 'The same question comes back. Approve it: the transfer happens only once.',
    args: ['resume', '--last', '--print'],
    lines: ['y'],
  },
];

/** `hitl demo`: a guided tour with the demo model. Without a terminal, it runs automatically. */
export async function demo(io: Io, flags: CommonFlags): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'hitl-demo-'));
  const plays = !isAskable(io, flags);
  try {
    tell(io.stderr, shown`A tour of hitl with the built-in demo model. Everything is simulated.`);
    tell(io.stderr, shown`Each session starts with a balance of 1000.`);
    if (plays) tell(io.stderr, shown`No terminal: the tour answers its own questions.`);
    for (const [index, stop] of TOUR.entries()) {
      tell(
        io.stderr,
        shown`\n${index + 1} of ${TOUR.length}: ${escapeText(stop.title)}\n${joined(escapeLines(stop.say))}\n`,
      );
      const status = await run(io, stop, { home, plays });
      if (plays && !(stop.expects ?? [0]).includes(status)) {
        throw new HitlError('INTERNAL', `the tour stopped at "${stop.title}": status ${status}`);
      }
      if (plays || stop.crash === true) continue;
      if (status >= 128) return status;
      if (status === LEFT_OPEN) {
        tell(io.stderr, shown`\nTour ended. Start it again: hitl demo`);
        return 0;
      }
    }
    tell(io.stderr, shown`\nEnd of the tour. Start your own session: hitl chat`);
    return 0;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function run(
  io: Io,
  { args, lines, crash = false }: Stop,
  { home, plays }: { readonly home: string; readonly plays: boolean },
): Promise<number> {
  const program = process.argv[1] ?? '';
  const feeds = plays || crash;
  return new Promise((resolve, reject) => {
    const child = startProgram(
      'tour',
      {
        ...{ program: process.execPath, args: [...process.execArgv, program, ...args, '--no-trust'] },
        cwd: io.cwd,
        env: { ...io.env, HITL_HOME: home, [IN_TOUR]: '1' },
      },
      { stdio: [feeds ? 'pipe' : 'inherit', 'inherit', crash ? 'pipe' : 'inherit'] },
    );
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      resolve(signal === 'SIGKILL' ? 137 : (code ?? 1));
    });
    if (crash) killAtQuestion(child, io);
    else if (feeds) child.stdin?.end(lines.map((line) => `${line}\n`).join(''));
  });
}

/** Waits until the process asks its question, then kills it with SIGKILL. */
function killAtQuestion(child: ChildProcess, io: Io): void {
  let seen = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    io.stderr.write(laidOut(chunk));
    seen += chunk;
    if (!seen.includes('needs your confirmation')) return;
    child.kill('SIGKILL');
    tell(io.stderr, shown`\n(killed)`);
    seen = '';
  });
}
