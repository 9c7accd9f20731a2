// Invariants:
// K1 The command comes only from a person's own configuration.
// K2 What it prints is in no message, no error and no file: not as the key, and not as what went wrong.
import { HitlError } from '../../src/core/index.js';
import { parseModelSpec } from '../../src/models/index.js';
import type { Config } from '../settings/settings.js';
import type { Io } from '../host/index.js';
import { withEnv } from '../host/index.js';
import { answerOfProgram } from './ask-program.js';
import type { ChosenModel } from './choose-model.js';
import { accessTo } from './choose-model.js';

/**
 * Time limit for the key command, in milliseconds. It is long, because the user may have to unlock a keyring
 * first.
 */
const PATIENCE_MS = 60_000;
/** Longest accepted output. */
const MOST_PRINTED = 16_384;
/** Matches a key that can be sent in an HTTP header. */
const KEY = /^[\x21-\x7e]{8,8192}$/u;

/** Whether the key for a model comes from the configured command. */
export function needsKeyCommand(io: Io, config: Config, chosen: ChosenModel): boolean {
  const { apiKeyCommand = [] } = config;
  if (apiKeyCommand.length === 0) return false;
  const access = accessTo(chosen, io, config);
  return access.apiKey === undefined && parseModelSpec(chosen.spec, access).type === 'anthropic';
}

/**
 * Adds the key from the configured command to the environment, if the model needs it. The key is masked like
 * other secrets, and commands that a model runs do not receive it.
 * @throws HitlError BAD_CONFIG if the command does not print a key.
 */
export async function withKey(io: Io, config: Config, chosen: ChosenModel): Promise<Io> {
  if (!needsKeyCommand(io, config, chosen)) return io;
  return withEnv(io, { ANTHROPIC_API_KEY: await keyFrom(io, config.apiKeyCommand ?? []) });
}

/** Runs the key command, and returns the key that it prints on one line. @throws HitlError BAD_CONFIG */
export async function keyFrom(
  io: Pick<Io, 'env' | 'home' | 'cwd'>,
  words: readonly string[],
  patienceMs = PATIENCE_MS,
): Promise<string> {
  const [program = ''] = words;
  const asked = { kind: 'key-command', setting: '`apiKeyCommand`', words, input: '' } as const;
  const answer = await answerOfProgram(io, { ...asked, patienceMs, most: MOST_PRINTED });
  if (answer.type === 'not-run') throw noKey(program, `could not be run: ${answer.why}`); // K2
  const { printed, status, by, wasKilled } = answer;
  if (wasKilled) throw noKey(program, `did not finish within ${patienceMs / 1_000} s, or printed too much`);
  if (status !== 0) throw noKey(program, `exited with ${by ?? `status ${String(status)}`}`);
  const key = printed.trim();
  if (!KEY.test(key)) throw noKey(program, 'did not print a key on one line');
  return key;
}

function noKey(program: string, why: string): HitlError {
  return new HitlError('BAD_CONFIG', `\`apiKeyCommand\` failed: ${program} ${why}`, {
    hint: 'run it yourself to check that it prints only the key, or set ANTHROPIC_API_KEY',
  });
}
