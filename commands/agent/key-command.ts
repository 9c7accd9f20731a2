// Invariants:
// K1 The command is run as a program with arguments, never by a shell, and only from a person's own configuration.
// K2 What it prints is in no message, no error and no file: not as the key, and not as what went wrong.
import type { ExecFileException } from 'node:child_process';
import { execFile } from 'node:child_process';
import { HitlError } from '../../src/core/index.js';
import { parseModelSpec } from '../../src/models/index.js';
import type { Config } from '../config/index.js';
import type { Io } from '../host/index.js';
import { withEnv } from '../host/index.js';
import type { ChosenModel } from './choose-model.js';
import { accessTo } from './choose-model.js';

/** Somebody may have to unlock a keyring. In milliseconds. */
const PATIENCE_MS = 60_000;
/** No key is longer. */
const MOST_BYTES = 16_384;
/** A key that a header can carry. */
const KEY = /^[\x21-\x7e]{8,8192}$/u;

/** True where the key of a model comes from the command of the configuration. */
export function needsKeyCommand(io: Io, config: Config, chosen: ChosenModel): boolean {
  const { apiKeyCommand = [] } = config;
  if (apiKeyCommand.length === 0) return false;
  const access = accessTo(chosen, io, config);
  return access.apiKey === undefined && parseModelSpec(chosen.spec, access).type === 'anthropic';
}

/**
 * The same place with the key that the command of the configuration prints, where one is needed: what masks secrets
 * knows it then too, and commands that a model runs get none of it.
 * @throws HitlError BAD_CONFIG where it gives no key.
 */
export async function withKey(io: Io, config: Config, chosen: ChosenModel): Promise<Io> {
  if (!needsKeyCommand(io, config, chosen)) return io;
  return withEnv(io, { ANTHROPIC_API_KEY: await keyFrom(io, config.apiKeyCommand ?? []) });
}

/** Runs the command, and takes the one line that it prints for the key. @throws HitlError BAD_CONFIG */
export function keyFrom(
  { env, home }: Pick<Io, 'env' | 'home'>,
  [program = '', ...args]: readonly string[],
  patienceMs = PATIENCE_MS,
): Promise<string> {
  const options = {
    cwd: home,
    env: { ...env },
    timeout: patienceMs,
    killSignal: 'SIGKILL',
    maxBuffer: MOST_BYTES,
    encoding: 'utf8',
    shell: false,
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout) => {
      const key = stdout.trim();
      if (error !== null)
        reject(noKey(program, whyOf(error, patienceMs))); // its message holds what was printed: K2
      else if (KEY.test(key)) resolve(key);
      else reject(noKey(program, 'it did not print a key on one line'));
    });
    child.stdin?.on('error', () => undefined); // it reads nothing
    child.stdin?.end();
  });
}

function whyOf({ code, killed, signal }: ExecFileException, patienceMs: number): string {
  if (killed === true) return `it had not ended after ${patienceMs / 1_000} s, or printed too much`;
  if (typeof code === 'string') return `it could not be run: ${code}`;
  return `it ended with ${signal ?? `status ${String(code)}`}`;
}

function noKey(program: string, why: string): HitlError {
  return new HitlError('BAD_CONFIG', `\`apiKeyCommand\` gave no key: ${program}: ${why}`, {
    hint: 'run it by hand: it must print the key and nothing else; or set ANTHROPIC_API_KEY',
  });
}
