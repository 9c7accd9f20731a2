import type {
  Call,
  Interrupt,
  JsonObject,
  JsonValue,
  ResolvedInterrupt,
  RunState,
  SessionId,
} from '../../src/core/index.js';
import { actorName, digestOf, membersOf, openInterrupts } from '../../src/core/index.js';
import type { QuestionOutcome } from '../../src/server/index.js';

/** Model name of sessions that ask another program's question. */
export const CLIENT_MODEL = 'mcp-client';

/**
 * Whether a session asks another program's question. If so, the program receives the answer, and no run is
 * resumed.
 */
export function isOfProgram({ agent }: Pick<RunState, 'agent'>): boolean {
  return agent?.model === CLIENT_MODEL;
}

/**
 * The subject of an approval. Every result includes it, so that an approval of one action cannot be mistaken
 * for an approval of another.
 */
export interface Approving {
  readonly action: string;
  /** The digest of the arguments of `request_approval`, without `key`: SHA-256 of their canonical JSON. */
  readonly input: string;
}

/** The status of a question. `used`: approved, and the approval has already been handed out. */
export type Standing =
  | { readonly status: 'waiting' }
  | { readonly status: 'answered'; readonly answer: JsonValue }
  | ({ readonly status: 'approved' } & Approving)
  | ({ readonly status: 'used' } & Approving)
  | ({ readonly status: 'declined'; readonly reason?: string } & Partial<Approving>);

/** Returns the status of a session's question. */
export function standingOf(state: RunState): Standing {
  const call = callOf(state);
  if (call?.state.status !== 'settled') return { status: 'waiting' };
  const { outcome } = call.state;
  const { name, input } = call.request;
  if (name === 'ask_human')
    return outcome.type === 'error'
      ? declined(call, outcome.message)
      : { status: 'answered', answer: outcome.output };
  const about = approvingOf(membersOf(input));
  if (outcome.type !== 'error' && membersOf(outcome.output)['approved'] === true)
    return { status: 'approved', ...about };
  return { ...declined(call, outcome.type === 'error' ? outcome.message : 'it did not run'), ...about };
}

/** A question and its answer, if any. */
export interface Account {
  /** Absent until the question is completely filed. */
  readonly interrupt?: Interrupt;
  readonly resolved?: ResolvedInterrupt;
}

/** Returns a session's question and its answer, including who answered it and when. */
export function accountOf(state: RunState): Account {
  const resolved = state.resolved.findLast(() => true);
  const interrupt = openInterrupts(state)[0] ?? resolved?.interrupt;
  return {
    ...(interrupt !== undefined && { interrupt }),
    ...(resolved !== undefined && { resolved }),
  };
}

/** Combines a question’s status, content and answer into one outcome. */
export function outcomeOf(
  id: SessionId,
  standing: Standing,
  { interrupt, resolved }: Account,
): QuestionOutcome {
  const { status } = standing;
  const isOpen = status === 'waiting';
  return {
    id,
    status: status === 'declined' ? 'rejected' : status,
    ...(status === 'answered' && { answer: standing.answer }),
    ...(status === 'declined' && standing.reason !== undefined && { reason: standing.reason }),
    ...(!isOpen && resolved !== undefined && { by: actorName(resolved.by) }),
    ...(!isOpen && resolved?.resolvedAt !== undefined && { at: resolved.resolvedAt }),
    ...(interrupt !== undefined && { digest: interrupt.digest }),
    ...(isOpen && interrupt?.expiresAt !== undefined && { expiresAt: interrupt.expiresAt }),
  };
}

function approvingOf({ from: _from, ...given }: JsonObject): Approving {
  const { action } = given;
  return { action: typeof action === 'string' ? action : '', input: digestOf(given) };
}

/** Returns the program's call; `undefined` if its process exited before making it. */
export function callOf({ open, entries }: RunState): Call | undefined {
  if (open !== undefined) return open.calls[0];
  return entries.findLast(({ calls }) => calls !== undefined)?.calls?.[0];
}

function declined({ resolved }: Call, otherwise: string): Standing {
  const { resolution } = resolved ?? {};
  if (resolution?.action !== 'reject' && resolution?.action !== 'cancel')
    return { status: 'declined', reason: otherwise };
  const { reason } = resolution;
  return { status: 'declined', ...(reason !== undefined && reason !== '' && { reason }) };
}
