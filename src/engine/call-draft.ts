import type {
  ApprovalPolicy,
  ApprovalRequest,
  Call,
  Deadline,
  InterruptDraft,
  JsonValue,
  KeptDeadline,
  Tool,
  ToolErrorCode,
  ToolOutcome,
} from '../core/index.js';
import {
  approversOf,
  deadlineOf,
  isForNobody,
  isJsonObject,
  messageOf,
  narrowed,
  NOBODY,
  proposedIn,
} from '../core/index.js';
import { bindingOf } from './binding.js';
import type { Revealed } from './reveal.js';

/** The things that may happen to a call in place of its tool being entered. */
export type HeldCall =
  | { readonly type: 'settle'; readonly call: Call; readonly outcome: ToolOutcome }
  | { readonly type: 'ask'; readonly call: Call; readonly draft: InterruptDraft };

/** A call whose plan is another one after so many questions is not run: nobody can agree to it. */
export const MOST_QUESTIONS = 5;
/** The reason why it is not run. */
export const RESTLESS =
  'what this call would do is another thing each time that somebody agrees to it; it did not run';

/** The call ends here, with words for the model. */
export function refuse(call: Call, code: ToolErrorCode, message: string): HeldCall {
  return { type: 'settle', call, outcome: { type: 'error', code, message } };
}

const NOT_KEPT = 'was typed into a process that is gone, and was not kept: type it again';

/** The question that a secret answered, or the call itself where a person gave it with an edit: once more. */
export function askAgain(
  call: Call,
  tool: Tool,
  { places, question }: Revealed & { type: 'missing' },
  runId: string,
): HeldCall {
  const names = places.map((place) =>
    place === '' ? 'the answer' : `\`${place.slice(1).replaceAll('/', '.')}\``,
  );
  const again = `${names.join(', ')} ${NOT_KEPT}`;
  const bound = bindingOf(tool, runId);
  if (question !== undefined) {
    const {
      kind,
      source,
      answerSchema,
      allowed,
      edit,
      inputSchema,
      resumeSchema,
      payload,
      approvers,
      proposed,
    } = question;
    const said = isJsonObject(payload) ? { ...payload, again } : payload;
    const agreed = call.approval === undefined ? {} : { input: call.approval.input };
    const draft = {
      kind,
      source: { ...source, ...agreed },
      payload: said,
      allowed,
      ...(edit && { edit }),
      ...(inputSchema && { inputSchema }),
      ...(resumeSchema && { resumeSchema }),
      ...(answerSchema && { answerSchema }),
      ...(approvers && { approvers }),
      ...(proposed && { proposed }),
      bound,
    };
    return { type: 'ask', call, draft };
  }
  if ((call.gated ?? 0) >= MOST_QUESTIONS) return refuse(call, 'rejected', `${again}; it did not run`);
  const draft = approvalDraft(tool, call, { input: call.input }, { warnings: [`${again}, by an edit`] });
  return { type: 'ask', call, draft: { ...draft, bound } };
}

/** The question of the gate in front of a tool. */
export function approvalDraft(
  tool: Tool,
  call: Call,
  shown: { readonly input: JsonValue; readonly title?: string },
  wanted: ApprovalRequest = {},
): InterruptDraft {
  const { reason, facts, diff, deadline = {} } = wanted;
  const { kept, problem = [] } = readDeadline(deadline);
  const people = readPeople(wanted.approvers);
  const warnings = [...(wanted.warnings ?? []), ...problem, ...(people.problem ?? [])];
  const payload: JsonValue = {
    ...(reason !== undefined && { reason }),
    ...(facts !== undefined && { facts }),
    ...(diff !== undefined && { diff }),
    ...(warnings.length > 0 && { warnings }),
  };
  const { ref, name } = call.request;
  return {
    kind: 'confirmation',
    source: { type: 'tool', ref, name, ...shown, raisedBy: 'approval' },
    payload,
    inputSchema: tool.inputSchema,
    ...(tool.outputSchema !== undefined && { answerSchema: tool.outputSchema }),
    ...kept,
    ...people.kept,
    ...proposedIn(call),
    ...(wanted.allowed !== undefined && narrowed('confirmation', { type: 'tool' }, wanted.allowed)),
  };
}

/** Reads who must agree; where nobody can read it, nobody agrees: the question says so, and takes a no. */
export function readPeople(approvers: ApprovalPolicy | undefined): {
  readonly kept: { readonly approvers?: ApprovalPolicy };
  readonly problem?: readonly string[];
} {
  if (approvers !== undefined && isForNobody(approvers)) {
    const problem = ['nobody can approve it: the tool and the rules about it name nobody who could agree'];
    return { kept: { approvers: NOBODY }, problem };
  }
  try {
    const kept = approversOf(approvers);
    return { kept: { ...(kept && { approvers: kept }) } };
  } catch (thrown) {
    const problem = [`nobody can approve it: ${messageOf(thrown)}`];
    return { kept: { approvers: NOBODY }, problem };
  }
}

/** A question with a deadline that nobody can read waits without one, and says so. */
function readDeadline(deadline: Deadline): {
  readonly kept: KeptDeadline;
  readonly problem?: readonly string[];
} {
  try {
    return { kept: deadlineOf(deadline) };
  } catch (thrown) {
    return { kept: {}, problem: [`it has no deadline: ${messageOf(thrown)}`] };
  }
}
