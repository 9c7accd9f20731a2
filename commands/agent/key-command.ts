// Invariants:
// K1 The command is run as a program with arguments, never by a shell, and only from a person's own configuration.
// K2 It stands in a neutral folder, and none of its files is one that the session works on (ADR 55).
// K3 What it prints is in no message, no error and no file: not as the key, and not as what went wrong.
import type { ChildProcess } from 'node:child_process';
import { errnoOf, HitlError, messageOf } from '../../src/core/index.js';
import { parseModelSpec } from '../../src/models/index.js';
import { ownEnvironment, startProgram } from '../../src/programs/index.js';
import type { Config } from '../settings/settings.js';
import type { Io } from '../host/index.js';
import { withEnv } from '../host/index.js';
import { trustedWords } from '../trust/trust.js';
import type { ChosenModel } from './choose-model.js';
import { accessTo } from './choose-model.js';

/** In milliseconds. Long, because a keyring may have to be unlocked first. */
const PATIENCE_MS = 60_000;
/** Longest accepted key. */
const MOST_BYTES = 16_384;
/** A key that a header can carry. */
const KEY = /^[\x21-\x7e]{8,8192}$/u;

/** Whether a model's key comes from the configured command. */
export function needsKeyCommand(io: Io, config: Config, chosen: ChosenModel): boolean {
  const { apiKeyCommand = [] } = config;
  if (apiKeyCommand.length === 0) return false;
  const access = accessTo(chosen, io, config);
  return access.apiKey === undefined && parseModelSpec(chosen.spec, access).type === 'anthropic';
}

/**
 * Adds the key printed by the configured command, if needed, so that secrets are masked with it, while
 * commands run by a model do not get it.
 * @throws HitlError BAD_CONFIG if the command prints no key.
 */
export async function withKey(io: Io, config: Config, chosen: ChosenModel): Promise<Io> {
  if (!needsKeyCommand(io, config, chosen)) return io;
  return withEnv(io, { ANTHROPIC_API_KEY: await keyFrom(io, config.apiKeyCommand ?? []) });
}

/** Runs the command and returns the key it prints as one line. @throws HitlError BAD_CONFIG */
export async function keyFrom(
  io: Pick<Io, 'env' | 'home' | 'cwd'>,
  words: readonly string[],
  patienceMs = PATIENCE_MS,
): Promise<string> {
  const [program = '', ...args] = words;
  let child: ChildProcess;
  try {
    const looked = await trustedWords(io, '`apiKeyCommand`', words);
    child = startProgram(
      'key-command',
      { program, args, place: io, env: ownEnvironment(io.env, io), ...looked },
      { timeout: patienceMs, killSignal: 'SIGKILL', stdio: ['pipe', 'pipe', 'ignore'] },
    );
  } catch (thrown) {
    throw noKey(program, `could not be run: ${errnoOf(thrown) ?? messageOf(thrown)}`);
  }
  child.stdin?.on('error', () => undefined); // it reads nothing
  child.stdin?.end();
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      if (printed.length > MOST_BYTES) child.kill('SIGKILL');
    });
    child.once('error', (error) => {
      reject(noKey(program, `could not be run: ${errnoOf(error) ?? 'unknown'}`)); // K3
    });
    child.once('close', (status, signal) => {
      const key = printed.trim();
      if (child.killed)
        reject(noKey(program, `did not finish within ${patienceMs / 1_000} s, or printed too much`));
      else if (status !== 0) reject(noKey(program, `exited with ${signal ?? `status ${String(status)}`}`));
      else if (KEY.test(key)) resolve(key);
      else reject(noKey(program, 'did not print a key on one line'));
    });
  });
}

function noKey(program: string, why: string): HitlError {
  return new HitlError('BAD_CONFIG', `\`apiKeyCommand\` failed: ${program} ${why}`, {
    hint: 'run it yourself: it must print only the key; or set ANTHROPIC_API_KEY',
  });
}
