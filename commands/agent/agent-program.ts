// Invariants:
// G1 An agent gets the variables that every program needs and those of its own settings; nothing of hitl's, and no other
//    key.
// G2 An agent that a session names is started once a person agreed to it, in this folder. One that a flag or your own
//    configuration names is agreed to; a project names none (L3 of `../config/law.ts`).
import type { ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';

import { digestOf, errnoOf, HitlError, messageOf, onOneLine } from '../../src/core/index.js';
import { realFolder } from '../../src/files/index.js';
import type { FileContent } from '../../src/files/index.js';
import type { AgentPlace, AgentProgram } from '../../src/models/acp/index.js';
import { ACP, ACP_AGENTS, agentRow } from '../../src/models/acp/index.js';
import { ownEnvironment, runProgram, startProgram } from '../../src/programs/index.js';
import { killGroup } from '../../src/tools/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { commandWords } from '../mcp/command-words.js';
import { isTrusted, keepTrust } from '../trust/trust.js';

/**
 * Names of the environment variables that an agent needs for its files, the network and the terminal. A name
 * that ends in `*` is a prefix.
 */
const NEEDED = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LANGUAGE', 'LC_*', 'TZ', 'TMPDIR', 'XDG_*'],
  ...[
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'ALL_PROXY',
    'NO_PROXY',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'NODE_EXTRA_CA_CERTS',
  ],
  ...['SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA'],
];

/**
 * How long to wait for an agent to exit after its input is closed, and again after it receives a signal, in
 * milliseconds.
 */
const END_MS = 500;
/** Maximum number of characters of an agent's last error output to show. */
const MOST_WORDS = 400;

/**
 * Returns the command line that starts an agent. @throws HitlError USAGE if a quote is not closed or the
 * command is empty
 */
function agentWords(agent: string): readonly string[] {
  const words = agentRow(agent)?.words ?? commandWords(agent);
  if (words.length > 0) return words;
  throw new HitlError('USAGE', `\`${ACP}${agent}\` names no program`, {
    hint: 'specify an agent: --agent gemini',
  });
}

/** Returns the environment for an agent (G1). */
function agentEnvironment(agent: string, io: Pick<Io, 'env' | 'cwd' | 'home'>): Record<string, string> {
  const allowed = [...NEEDED, ...(agentRow(agent)?.variables ?? [])];
  const isAllowed = (name: string): boolean =>
    allowed.some((one) =>
      one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name.toUpperCase() === one,
    );
  const own = Object.entries(ownEnvironment(io.env, io));
  return Object.fromEntries(own.filter(([name]) => isAllowed(name)));
}

/** Returns the folder and environment in which agents run, and the function that starts them. */
export function agentsHere(
  io: Pick<Io, 'env' | 'cwd' | 'home' | 'clock'>,
  told: (line: string) => void,
): AgentPlace {
  return {
    folder: realFolder(io.cwd),
    env: io.env,
    told,
    start: (agent) => Promise.resolve(startedAgent(io, agent)),
  };
}

function startedAgent(io: Pick<Io, 'env' | 'cwd' | 'home' | 'clock'>, agent: string): AgentProgram {
  const [program = '', ...args] = agentWords(agent);
  let child: ChildProcess;
  try {
    const env = agentEnvironment(agent, io);
    child = startProgram('acp-agent', { program, args, place: io, cwd: realFolder(io.cwd), env });
  } catch (thrown) {
    throw errnoOf(thrown) === 'ENOENT' ? notInstalled(agent, program) : thrown;
  }
  return programOf(child, io);
}

/** Time limit for an agent to report its version, in milliseconds. */
const VERSION_MS = 10_000;

/** Returns the known agents that are installed, with the versions that they report. */
export function installedAgents(
  io: Pick<Io, 'env' | 'cwd' | 'home'>,
): readonly { readonly name: string; readonly version: string }[] {
  return Object.entries(ACP_AGENTS).flatMap(([name, { words }]) => {
    try {
      const given = { program: words[0], args: ['--version'], place: io, env: agentEnvironment(name, io) };
      const { stdout } = runProgram('agent-version', given, { timeout: VERSION_MS });
      return [{ name, version: /\d+\.\d+[\w.-]{0,40}/u.exec(stdout)?.[0] ?? '(version unknown)' }];
    } catch {
      return []; // it is not there
    }
  });
}

/** Returns an error that explains how to install an agent. */
function notInstalled(agent: string, program: string): HitlError {
  const row = agentRow(agent);
  return new HitlError(
    'BAD_CONFIG',
    `the agent \`${agent}\` is not installed: no program \`${program}\` found outside this folder`,
    {
      hint: row === undefined ? 'check the command, or specify its path' : `install it: ${row.install}`,
    },
  );
}

function programOf(child: ChildProcess, { clock }: Pick<Io, 'clock'>): AgentProgram {
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words = `${words}${text}`.slice(-MOST_WORDS);
  });
  child.stdin?.on('error', () => undefined); // how it ended is told by its end
  const atExit = (): void => void killGroup(child, 'SIGKILL');
  process.once('exit', atExit);
  const ended = new Promise<string>((resolve) => {
    const end = (how: string): void => {
      killGroup(child, 'SIGKILL'); // what it had started itself
      process.removeListener('exit', atExit);
      const last = onOneLine(words.trim());
      resolve(last === '' ? how : `${how}: ${last}`);
    };
    child.once('error', (error) => {
      end(messageOf(error));
    });
    child.once('close', (status, signal) => {
      end(signal === null ? `exit ${status ?? 0}` : `killed by ${signal}`);
    });
  });
  return {
    output: child.stdout ?? Readable.from([]),
    ended,
    write: (line) =>
      new Promise((resolve, reject) => {
        const { stdin } = child;
        if (stdin?.writable !== true) reject(new Error('the agent has ended'));
        else
          stdin.write(`${line}\n`, (error) => {
            if (error instanceof Error) reject(error);
            else resolve();
          });
      }),
    async close() {
      const stop = new AbortController();
      const within = (ms: number): Promise<unknown> =>
        Promise.race([ended, clock.sleep(ms, stop.signal).catch(() => undefined)]);
      child.stdin?.end();
      await within(END_MS);
      if (killGroup(child, 'SIGTERM')) await within(END_MS);
      killGroup(child, 'SIGKILL');
      await ended;
      stop.abort();
    },
  };
}

/**
 * Asks the user to trust an agent that a session specifies. An agent that a flag specifies is trusted from
 * then on (G2).
 * @throws HitlError USAGE if the agent is not trusted
 */
export async function agreedAgent(
  io: Io,
  flags: Pick<RunFlags, 'trust' | 'color' | 'save' | 'model'>,
  mode: Mode,
  { agent, isOfSession }: { readonly agent: string; readonly isOfSession: boolean },
): Promise<void> {
  const folder = realFolder(io.cwd);
  const words = agentWords(agent);
  const named: FileContent = {
    path: `--agent ${agent} (in ${folder})`,
    sha256: digestOf([...words, folder]),
  };
  if (!isOfSession) {
    if (flags.save !== false) await keepTrust(io, [named]);
    return;
  }
  const agreed = await isTrusted(io, flags, mode, {
    what: 'this session’s agent',
    files: [named],
    lines: [`a program that runs with your permissions: ${words.join(' ')}`],
    otherwise: 'or name the agent to use: --model acp:<agent>',
  });
  if (agreed) return;
  throw new HitlError('USAGE', 'this session’s agent is not trusted; nothing started', {
    hint: 'hitl answer <id> answers an open question without starting anything',
  });
}
