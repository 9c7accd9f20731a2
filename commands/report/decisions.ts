import type {
  Actor,
  ApprovalPolicy,
  InterruptKind,
  JsonValue,
  Resolution,
  Review,
  Shown,
  StoredEvent,
  Unread,
  Vote,
} from '../../src/core/index.js';
import { activationId, present, shown } from '../../src/core/index.js';
import type { ToolEffect } from '../../src/repl/index.js';
import { effectsOf } from '../../src/repl/index.js';
import type { Standing } from './standing.js';
import { standingsOf, standingText } from './standing.js';

/** A question, the details that it showed, the decision, and the calls that ran as a result. */
export interface Decision {
  readonly interrupt: string;
  readonly kind: InterruptKind;
  /** Number of the event that asked the question. */
  readonly seq: number;
  readonly askedAt: string;
  /** Set if the question was not written with the store's key. */
  readonly foreign?: true;
  /** Source of the question. `tool`: the tool's body; `approval`: the approval check; `engine`: hitl. */
  readonly askedBy?: 'tool' | 'approval' | 'engine';
  /** Path in a workflow; absent in a chat. */
  readonly path?: string;
  /** The node that asked, or the one that the gate belongs to. */
  readonly node?: string;
  /** Key of the operation in the node's code that asked, or that comes right after the gate. */
  readonly operation?: string;
  readonly tool?: string;
  readonly ref?: string;
  readonly shown: { readonly title?: string; readonly input?: JsonValue; readonly payload: JsonValue };
  /** Digest of what was shown, 64 hex digits. The answer contained the same digest (G11). */
  readonly digest: string;
  /** For an escalated question, the escalation target and the question that was not answered in time. */
  readonly askedOf?: string;
  readonly insteadOf?: string;
  /** The escalated question that replaced it. */
  readonly escalated?: {
    readonly seq: number;
    readonly at: string;
    readonly to: string;
    readonly interrupt: string;
  };
  /** The decision; absent while the question is open. */
  readonly decided?: {
    readonly seq: number;
    readonly at: string;
    readonly by: Actor;
    readonly resolution: Resolution;
    /**
     * Set for an edit of a call that requires approvers. The edit is not an approval: the question is asked
     * again with the edited input.
     */
    readonly proposal?: true;
    /** Set if the record is not signed with the store's key, so that its author is not verified. */
    readonly foreign?: true;
    /** Time by which approved calls must start, ISO 8601. After that, hitl asks again. */
    readonly validUntil?: string;
    /** Rows that had not been shown when the person chose to approve anyway. */
    readonly unread?: Unread;
    /** The votes that decided the question, if several were required. */
    readonly votes?: readonly Vote[];
  };
  /** The required approvers, and how many of them must approve. */
  readonly approvers?: ApprovalPolicy;
  /** How long an approval is valid, in milliseconds. */
  readonly approvalLastsMs?: number;
  /** All votes, in order; absent if there were none. */
  readonly cast?: readonly (Vote & { readonly seq: number; readonly foreign?: true })[];
  /** All automatic reviews of the question. */
  readonly reviews?: readonly (Omit<Review, 'id' | 'digest'> & { readonly seq: number })[];
  /** Changes to the status of the approval before anything ran: kept for changed code, or void. */
  readonly standing?: readonly Standing[];
  /** Changes that the MCP server made to the tool in this session before the decision. */
  readonly changed?: readonly string[];
  /** Starts of the tool after the answer, up to the next question about the same call. */
  readonly ran: readonly Pick<ToolEffect, 'seq' | 'attempt' | 'input' | 'outcome' | 'output'>[];
}

/** Returns a session's decisions, in the order of their questions. */
export function decisionsOf(events: readonly StoredEvent[]): readonly Decision[] {
  const decisions: Decision[] = [];
  for (const { seq, event, foreign } of events) {
    if (event.type === 'interrupt-raised' || event.type === 'interrupt-escalated') {
      const { escalated, approvers, approvalLastsMs } = event.interrupt;
      const { id, kind, source, payload, digest, raisedAt, path } = event.interrupt;
      if (event.type === 'interrupt-escalated') {
        // Nobody answered a question in time: it is over, and another one stands in its place.
        const to = escalated?.to ?? '';
        addTo(decisions, event.id, () => ({ escalated: { seq, at: raisedAt, to, interrupt: id } }));
      }
      const call = source.type === 'tool' ? source : undefined;
      decisions.push({
        interrupt: id,
        kind,
        seq,
        askedAt: raisedAt,
        ...present({ foreign }),
        ...(path !== '' && { path }),
        ...(source.type === 'node' && { node: activationId({ node: source.nodeId, visit: source.visit }) }),
        ...(source.type === 'node' && source.operation !== undefined && { operation: source.operation }),
        ...(call !== undefined && { askedBy: call.raisedBy, tool: call.name, ref: call.ref }),
        shown: {
          ...(call?.title !== undefined && { title: call.title }),
          ...(call !== undefined && { input: call.input }),
          payload,
        },
        digest,
        ...present({ approvers, approvalLastsMs }),
        ...(escalated !== undefined && { askedOf: escalated.to, insteadOf: escalated.id }),
        ran: [],
      });
    } else if (event.type === 'interrupt-resolved') {
      const { id, resolvedAt: at, by, resolution, votes, validUntil, proposal, unread } = event;
      const more = present({
        validUntil: proposal === true ? undefined : validUntil,
        votes,
        foreign,
        proposal,
        unread,
      });
      addTo(decisions, id, () => ({ decided: { seq, at, by, resolution, ...more } }));
    } else if (event.type === 'reviewed') {
      const { type: _type, scope: _scope, id, digest: _digest, ...review } = event;
      addTo(decisions, id, ({ reviews = [] }) => ({ reviews: [...reviews, { seq, ...review }] }));
    } else if (event.type === 'vote-cast') {
      const { id, by, resolution, castAt } = event;
      addTo(decisions, id, ({ cast = [] }) => ({
        cast: [...cast, { seq, by, resolution, castAt, ...present({ foreign }) }],
      }));
    }
  }
  const standings = standingsOf(events);
  const changes = withChanges(events);
  const told = decisions.map((one) => changes({ ...one, ...present({ standing: standings.get(one.seq) }) }));
  return withEffects(told, effectsOf(events));
}

/** Formats approvals that were kept or became void, by question. */
export function standingLines(events: readonly StoredEvent[]): ReadonlyMap<string, readonly Shown[]> {
  return new Map(
    decisionsOf(events).map(({ interrupt, standing = [] }) => [
      interrupt,
      standing.map((one) =>
        one.type === 'kept' ? shown`kept ${standingText(one)}` : shown`no longer valid: ${standingText(one)}`,
      ),
    ]),
  );
}

/**
 * Returns a function that adds to a decision the changes that the MCP server made to the tool before the
 * answer.
 */
function withChanges(events: readonly StoredEvent[]): (decision: Decision) => Decision {
  const lists = events.flatMap(({ seq, event }) =>
    event.type === 'agent-changed' && event.changed !== undefined ? [{ seq, changed: event.changed }] : [],
  );
  return (decision) => {
    const { tool, decided } = decision;
    const changed = lists
      .filter(({ seq }) => tool !== undefined && seq < (decided?.seq ?? Infinity))
      .flatMap((list) => list.changed.filter((line) => line.startsWith(`${tool ?? ''}: `)));
    return changed.length === 0 ? decision : { ...decision, changed };
  };
}

/** Adds details to the latest question with this id, if any. */
function addTo(decisions: Decision[], id: string, more: (asked: Decision) => Partial<Decision>): void {
  const at = decisions.findLastIndex(({ interrupt }) => interrupt === id);
  const asked = decisions[at];
  if (asked !== undefined) decisions[at] = { ...asked, ...more(asked) };
}

function withEffects(decisions: readonly Decision[], effects: readonly ToolEffect[]): readonly Decision[] {
  return decisions.map((decision, index) => {
    const { ref, decided, path } = decision;
    if (ref === undefined || decided === undefined) return decision;
    const next =
      decisions.slice(index + 1).find((later) => later.ref === ref && later.path === path)?.seq ?? Infinity;
    const ran = effects
      .filter(
        (effect) =>
          effect.ref === ref && effect.path === path && effect.seq > decided.seq && effect.seq < next,
      )
      .map(({ seq, attempt, input, outcome, output }) => ({
        ...{ seq, attempt, input, outcome },
        ...present({ output }),
      }));
    return { ...decision, ran };
  });
}
