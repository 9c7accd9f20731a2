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

/** One question: what was shown, who decided what, and what ran because of it. */
export interface Decision {
  readonly interrupt: string;
  readonly kind: InterruptKind;
  /** Event of the question. */
  readonly seq: number;
  readonly askedAt: string;
  /** The question was not written with the key of the store. */
  readonly foreign?: true;
  /** `tool`: asked by its body; `approval`: by the approval check; `engine`: by hitl. */
  readonly askedBy?: 'tool' | 'approval' | 'engine';
  /** Path in a workflow; absent in a chat. */
  readonly path?: string;
  /** The asking node, or the node of the gate. */
  readonly node?: string;
  /** The key of the operation of the node's code that asked, or of the gate before it. */
  readonly operation?: string;
  readonly tool?: string;
  readonly ref?: string;
  readonly shown: { readonly title?: string; readonly input?: JsonValue; readonly payload: JsonValue };
  /** Digest of what was shown, 64 hex digits; the answer carried the same one (G11). */
  readonly digest: string;
  /** The escalation target, and the question that was not answered in time. */
  readonly askedOf?: string;
  readonly insteadOf?: string;
  /** The escalated question that replaced it. */
  readonly escalated?: {
    readonly seq: number;
    readonly at: string;
    readonly to: string;
    readonly interrupt: string;
  };
  /** Absent while it is open. */
  readonly decided?: {
    readonly seq: number;
    readonly at: string;
    readonly by: Actor;
    readonly resolution: Resolution;
    /** An edit that needs approvers: the question is asked again with it, and this was not an approval. */
    readonly proposal?: true;
    /** The record is not signed with the store's key, so its author is unverified. */
    readonly foreign?: true;
    /** ISO 8601: approved calls start by then, or ask again. */
    readonly validUntil?: string;
    /** The rows that were not shown when the person approved it on purpose. */
    readonly unread?: Unread;
    /** The deciding votes, if it needed several. */
    readonly votes?: readonly Vote[];
  };
  /** Required approvers and their number. */
  readonly approvers?: ApprovalPolicy;
  /** Validity of an approval, in milliseconds. */
  readonly approvalLastsMs?: number;
  /** Every vote, in order; absent if there was none. */
  readonly cast?: readonly (Vote & { readonly seq: number; readonly foreign?: true })[];
  /** Each time that a reviewer was asked about it. */
  readonly reviews?: readonly (Omit<Review, 'id' | 'digest'> & { readonly seq: number })[];
  /** What happened to it before anything ran: kept for changed code, or void. */
  readonly standing?: readonly Standing[];
  /** What the server changed about the tool during the session, before the decision. */
  readonly changed?: readonly string[];
  /** Starts of its tool after the answer and before the next question about the same call. */
  readonly ran: readonly Pick<ToolEffect, 'seq' | 'attempt' | 'input' | 'outcome' | 'output'>[];
}

/** Returns the decisions of a session, in the order of their questions. */
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

/** Formats the kept or void approvals, by question. */
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

/** Adds how the server of a question's tool changed its list before the answer. */
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

/** Adds known details to the latest question with this id, if there is one. */
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
