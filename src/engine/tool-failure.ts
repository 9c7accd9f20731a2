import type { Call, HitlErrorCode, RunState, ToolErrorCode, ToolOutcome } from '../core/index.js';
import { HitlError, transcriptMessages } from '../core/index.js';

/** A call of a round that ended in an error. */
export interface ToolFailure {
  readonly call: Call;
  readonly outcome: ToolOutcome & { readonly type: 'error' };
  /** The value that its body threw, where it did. */
  readonly thrown?: unknown;
}

/**
 * The one error of a round whose failures are to be thrown. Its detail names each failure, and holds the messages
 * with what the siblings did.
 */
export function toolError(failures: readonly ToolFailure[], state: RunState): HitlError {
  const codes = new Set(failures.map(({ outcome }) => codeOf(outcome.code)));
  const [code = 'TOOL_FAILED'] = codes.size === 1 ? codes : [];
  const thrown = failures.map((failure) => failure.thrown).filter((one) => one !== undefined);
  const cause = thrown.length > 1 ? new AggregateError(thrown) : thrown[0];
  return new HitlError(code, failures.map(describe).join('; '), {
    ...(cause !== undefined && { cause }),
    hint: 'the calls beside it have finished; their results are in `detail.messages`',
    detail: {
      failures: failures.map(({ call: { request }, outcome }) => ({
        ref: request.ref,
        name: request.name,
        code: outcome.code,
        message: outcome.message,
      })),
      messages: transcriptMessages(state),
    },
  });
}

function codeOf(code: ToolErrorCode): HitlErrorCode {
  if (code === 'not-found') return 'TOOL_NOT_FOUND';
  return code === 'invalid-input' ? 'TOOL_INPUT' : 'TOOL_FAILED';
}

function describe({ call, outcome: { code, message } }: ToolFailure): string {
  return code === 'failed' ? `tool \`${call.request.name}\` failed: ${message}` : message;
}
