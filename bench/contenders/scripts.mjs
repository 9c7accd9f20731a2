import { spawn } from 'node:child_process';

import { replyServer } from '../harness/reply-server.mjs';
import { median } from '../harness/statistics.mjs';
import { temporaryHome } from '../harness/temporary-home.mjs';
import { programOf } from './programs.mjs';

const ASK = ['chat', '--model', 'demo', '--print', 'Transfer 200 to ABC123'];

/** Runs a program to its end. @throws Error where its status is another one than it should be */
function run([file, ...args], { status = 0, ...options }) {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (piece) => (said += piece));
    child.on('error', reject);
    child.on('close', (code) => {
      const ms = performance.now() - start;
      if (code === status) resolve({ ms, said });
      else reject(new Error(`status ${code}: ${said.slice(-200)}`));
    });
  });
}

/** One session, from its question to its end: what each command takes. */
async function ownRound(command, options) {
  const own = (words, status = 0) => run([...command, ...words], { ...options, status });
  const chat = await own(ASK, 3);
  const [, id] = /hitl resume (\w+)/.exec(chat.said) ?? [];
  const [, digest] = /--digest ([0-9a-f]{8})/.exec(chat.said) ?? [];
  if (id === undefined || digest === undefined) throw new Error('no session');
  return {
    chat: chat.ms,
    inbox: (await own(['inbox'])).ms,
    answer: (await own(['answer', id, 'y', '--digest', digest])).ms,
    resume: (await own(['resume', id])).ms,
  };
}

/**
 * Runs commands to their ends, and an empty Node as often.
 * @param params `{ program, times? }`: a name of `programs.mjs`; of ours the four commands of a script, of another one
 * a prompt that is answered by a server on this machine
 * @returns for each what it took in ms, and over an empty Node
 */
export async function measure({ program, times = 9 }, tell = () => undefined) {
  const { command, home = {}, script } = programOf(program);
  const { remove, ...place } = temporaryHome(home);
  const server = await replyServer();
  const rounds = [];
  try {
    const words = script?.words(server.url);
    const options = { ...place, env: { ...place.env, ...script?.env?.(server.url) } };
    const round = async () =>
      words === undefined
        ? await ownRound(command, options)
        : { chat: (await run([...command, ...words], options)).ms };
    await round(); // files are read from the disk once
    for (let time = 0; time < times; time += 1) {
      const empty = (await run([process.execPath, '-e', '0'], place)).ms;
      rounds.push({ empty, ...(await round()) });
      tell(numbersOf(rounds));
    }
  } finally {
    server.close();
    remove();
  }
  return numbersOf(rounds);
}

function numbersOf(rounds) {
  const verbs = Object.keys(rounds[0]).filter((key) => key !== 'empty');
  return Object.fromEntries(
    verbs.flatMap((verb) => [
      [`${verb}Ms`, median(rounds.map((round) => round[verb]))],
      [`${verb}OverNode`, median(rounds.map((round) => round[verb] / round.empty))],
    ]),
  );
}
