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

/** In milliseconds. Long, because a keyring may have to be unlocked first. */
const PATIENCE_MS = 60_000;
/** Longest accepted output. */
const MOST_PRINTED = 16_384;
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
    hint: 'run it yourself: it must print only the key; or set ANTHROPIC_API_KEY',
  });
}
