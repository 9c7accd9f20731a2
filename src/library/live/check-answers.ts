import type { Answer, RunState, ToolSet } from '../../core/index.js';
import { HitlError, isJsonObject, notWaiting, toolSetOf } from '../../core/index.js';
import type { ResumeProblem } from '../../engine/index.js';
import { checkResume } from '../../engine/index.js';

/**
 * Looks at answers together, before any of them is kept.
 * @throws HitlError ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, NOT_ELIGIBLE for the word of somebody who is not asked, BAD_ANSWER
 */
export async function checkAnswers(
  state: RunState,
  answers: readonly Answer[],
  toolsFor: (answer: Answer) => Promise<ToolSet>,
): Promise<void> {
  if (answers.length === 0) throw new HitlError('BAD_ANSWER', 'no answer was given');
  const problems: ResumeProblem[] = [];
  for (const answer of answers) {
    const tools = isJsonObject(answer) ? await toolsFor(answer) : toolSetOf([]);
    const found = await checkResume(state, [answer], tools, { complete: false });
    const gone = found.find(({ kind }) => kind === 'unknown' || kind === 'stale');
    if (gone !== undefined) throw notWaiting(state, answer.id);
    problems.push(...found);
  }
  if (problems.length === 0) {
    if (new Set(answers.map(({ id }) => id)).size === answers.length) return;
    throw new HitlError('BAD_ANSWER', 'one question has two answers; give one');
  }
  const isOfOthers = problems.every(({ kind }) => kind === 'not-eligible');
  throw new HitlError(
    isOfOthers ? 'NOT_ELIGIBLE' : 'BAD_ANSWER',
    problems.map(({ message }) => message).join('; '),
    {
      hint: 'the question is still open',
      detail: { problems },
    },
  );
}
