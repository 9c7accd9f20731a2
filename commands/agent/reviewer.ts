// Invariants:
// V1 A reviewer comes from a person's own configuration, with the server, aliases and key command of that: a project can
//    switch it off, and change nothing of it.
// V2 Neither a command nor the policy of a model is a file that the session works on (ADR 55).
import { readFileSync } from 'node:fs';
import {
  errnoOf,
  HitlError,
  knownCost,
  keptWhy,
  parseStrictJson,
  policyDigest,
  safeJson,
} from '../../src/core/index.js';
import type { Model, RunState } from '../../src/core/index.js';
import { guardedFolder, liesIn } from '../../src/programs/index.js';
import type { Reviewed, Reviewer, ReviewRequest } from '../../src/reviewer/index.js';
import { failed, modelReviewer, REVIEW_MS, said } from '../../src/reviewer/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import type { OwnReviewer } from '../settings/settings.js';
import { answerOfProgram } from './ask-program.js';
import { chosenModel } from './choose-model.js';
import { composeModel } from './model.js';

/** Maximum lengths of a policy and of a reviewer's output, in characters. */
const MOST_POLICY = 20_000;
const MOST_PRINTED = 64_000;

/**
 * Creates the configured reviewer. Its model is created when the reviewer is first used. @throws HitlError
 * BAD_CONFIG
 */
export function composeReviewer(io: Io, mode: Mode, { setting, own }: OwnReviewer): Reviewer {
  const { mayAllow = 'low' } = setting;
  if ('command' in setting) return commandReviewer(io, setting.command, mayAllow);
  const { model: spec, policy } = setting;
  return modelReviewer({
    model: madeLater(spec, async () => {
      const chosen = await chosenModel(io, { model: spec }, { config: own });
      return composeModel(io, { ...mode, interactive: false }, own, chosen);
    }),
    ...(policy !== undefined && { policy: policyIn(io, policy) }),
    mayAllow,
  });
}

function madeLater(id: string, make: () => Promise<Model>): Model {
  let made: Promise<Model> | undefined;
  return {
    id,
    async *generate(request, signal) {
      made ??= make();
      yield* (await made).generate(request, signal);
    },
  };
}

function policyIn(io: Io, path: string): string {
  if (liesIn(path, guardedFolder(io)))
    throw new HitlError('BAD_CONFIG', `the policy \`${path}\` is in the folder you are working in`, {
      hint: 'keep it next to your own configuration, where no tool can change it',
    });
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new HitlError('BAD_CONFIG', `cannot read the policy \`${path}\`: ${errnoOf(thrown) ?? 'unknown'}`, {
      hint: 'it is set by `reviewer.policy` in your configuration',
    });
  }
  if (text.length <= MOST_POLICY) return text;
  throw new HitlError('BAD_CONFIG', `the policy \`${path}\` has ${text.length} characters`, {
    hint: `at most ${MOST_POLICY}`,
  });
}

/**
 * Creates a reviewer that runs a program. The program reads the request as JSON from its standard input,
 * prints a verdict as JSON, and exits with status 0.
 */
function commandReviewer(io: Io, words: readonly string[], mayAllow: Reviewer['mayAllow']): Reviewer {
  return {
    by: { type: 'reviewer', via: 'command', name: keptWhy(words.join(' ')) },
    policy: policyDigest(words),
    mayAllow,
    review: async (request, signal) => answerOf(io, words, request, signal),
  };
}

async function answerOf(
  io: Io,
  words: readonly string[],
  request: ReviewRequest,
  signal: AbortSignal,
): Promise<Reviewed> {
  const asked = { kind: 'reviewer', setting: '`reviewer`', words, input: `${safeJson(request)}\n` } as const;
  const answer = await answerOfProgram(io, { ...asked, patienceMs: REVIEW_MS, most: MOST_PRINTED }, signal);
  if (signal.aborted) return failed('stopped', 'stopped before it answered');
  if (answer.type === 'not-run') return failed('unreachable', `could not be run: ${answer.why}`);
  const { printed, status, by, isTooLong } = answer;
  if (isTooLong) return failed('malformed', 'it printed too much');
  if (status !== 0) return failed('unreachable', `it ended with ${by ?? `status ${String(status)}`}`);
  const json = parseStrictJson(printed);
  return json.ok
    ? said(json.value)
    : failed('malformed', `it did not print exactly one JSON value: ${json.message}`);
}

/**
 * Whether the cost and token limits of a session allow it to spend more. If not, the reviewer is not used,
 * because it costs money, and the user is asked instead.
 */
export function maySpend({ usage, extended }: RunState, { maxCost, maxTokens }: RunFlags): boolean {
  const cost = knownCost(usage);
  const isCheap = maxCost === undefined || (cost !== undefined && cost < maxCost + extended.costUsd);
  const used = usage.inputTokens + usage.outputTokens;
  return isCheap && (maxTokens === undefined || used < maxTokens + (extended.tokens ?? 0));
}

/** Returns the command of the configured reviewer. Its files are protected from changes by tools. */
export function reviewerWords({ reviewer }: RunFlags): readonly string[] | undefined {
  return reviewer !== undefined && 'command' in reviewer.setting ? reviewer.setting.command : undefined;
}
