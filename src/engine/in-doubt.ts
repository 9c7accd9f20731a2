import type { Call, InterruptDraft, RunState } from '../core/index.js';
import { invariant } from '../core/index.js';
import { bindingOf } from './binding.js';
import type { RunOptions } from './run-options.js';

/**
 * The question what became of a call that was running when its process ended (law 7). `next-step.ts` decides that a call
 * is in doubt, and `active-run.ts` makes the event; for nodes of a workflow it is `graph/run/next-graph-step.ts`, with the question in `graph/gates/drafts.ts`.
 */
export function doubtDraft(
  { request, attempts, state: call }: Call,
  state: RunState,
  { tools, runId }: Pick<RunOptions, 'tools' | 'runId'>,
): InterruptDraft {
  const { ref, name } = request;
  invariant(call.status === 'started', `call \`${ref}\` is ${call.status}, and not in doubt`);
  const tool = tools.get(name);
  const answerSchema = tool?.outputSchema;
  const { input, title } = call;
  return {
    kind: 'in-doubt',
    source: { type: 'tool', ref, name, input, raisedBy: 'engine', ...(title !== undefined && { title }) },
    payload: { startedAt: call.startedAt, attempt: attempts, pid: state.writer?.pid ?? null },
    ...(answerSchema !== undefined && { answerSchema }),
    bound: bindingOf(tool, runId),
  };
}
