import type { Call, InterruptDraft, RunState, ToolSet } from '../core/index.js';

/** Asks what became of a call that was running when its process ended (law 7). */
export function doubtDraft(call: Call, state: RunState, tools: ToolSet): InterruptDraft {
  const { ref, name } = call.request;
  const started = call.state.status === 'started' ? call.state : undefined;
  const answerSchema = tools.get(name)?.outputSchema;
  return {
    kind: 'in-doubt',
    source: {
      type: 'tool',
      ref,
      name,
      input: started === undefined ? call.input : started.input,
      raisedBy: 'engine',
    },
    payload: {
      startedAt: started?.startedAt ?? null,
      attempt: call.attempts,
      pid: state.writer?.pid ?? null,
    },
    ...(answerSchema !== undefined && { answerSchema }),
  };
}
