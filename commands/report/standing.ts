import type {
  Actor,
  Interrupt,
  InterruptId,
  ResolutionAction,
  SessionEvent,
  Shown,
  StoredEvent,
} from '../../src/core/index.js';
import { escapeText, isOperationGate, letsRun, operationOf, shown, timeOf } from '../../src/core/index.js';
import { provenance } from '../host/index.js';

/** A change in the status of an approval before the approved work ran. */
export type Standing =
  /** A person kept the approval for changed code. */
  | { readonly type: 'kept'; readonly seq: number; readonly at: string; readonly by: Actor }
  /** No longer valid. */
  | {
      readonly type: 'void';
      /** Number of the event that ended the approval. */
      readonly seq: number;
      readonly at: string;
      readonly why: VoidReason;
      /** Id of the question that replaced it. */
      readonly again?: InterruptId;
    };

/**
 * `fork`: the session is a copy made by `hitl fork` or `rewind`. `elsewhere`: the records were written with a
 * different key, or the folder was copied. `restored`: the database was restored from a backup. `plan`:
 * something other than the code or the time limit differs from what was approved.
 */
export type VoidReason = 'fork' | 'elsewhere' | 'restored' | 'lost' | 'code' | 'time' | 'plan';

/** An unused approval. */
interface Pending {
  /** Number of the event that asked the question. */
  readonly asked: number;
  readonly interrupt: Interrupt;
  readonly validUntil: string | undefined;
  code: string | undefined;
  hasStarted: boolean;
}

/**
 * Returns the approvals in a session that were kept or became void, by the number of the event that asked the
 * question.
 */
export function standingsOf(events: readonly StoredEvent[]): ReadonlyMap<number, readonly Standing[]> {
  const standings = new Standings();
  for (const event of events) standings.add(event);
  return standings.found;
}

class Standings {
  readonly found = new Map<number, readonly Standing[]>();
  /** The latest question for each id. */
  readonly #asked = new Map<string, { readonly seq: number; readonly interrupt: Interrupt }>();
  #pending: readonly Pending[] = [];

  add({ seq, at, scope, event }: StoredEvent): void {
    if (event.type === 'interrupt-raised' || event.type === 'interrupt-escalated') {
      this.#askedAgain(event.interrupt, { seq, at });
      this.#asked.set(event.interrupt.id, { seq, interrupt: event.interrupt });
    } else if (event.type === 'interrupt-resolved') this.#decided(event);
    else if (event.type === 'approvals-voided') {
      const why = voidedBy(event);
      for (const { asked } of this.#pending) this.#note(asked, { type: 'void', seq, at, why });
      this.#pending = [];
    } else if (event.type === 'approvals-kept') {
      for (const pending of this.#pending) {
        const now = event.kept.find(({ was }) => was === pending.code)?.now;
        if (now === undefined || pending.interrupt.approvers !== undefined) continue;
        pending.code = now;
        this.#note(pending.asked, { type: 'kept', seq, at, by: event.by });
      }
    } else if (event.type === 'tool-started') {
      for (const pending of this.#pending)
        if (isOfCall(pending.interrupt, scope, event.ref)) pending.hasStarted = true;
    } else if (this.#pending.length > 0) {
      this.#pending = this.#pending.filter(({ interrupt }) => !usesUp(event, scope, interrupt));
    }
  }

  #decided(event: SessionEvent & { readonly type: 'interrupt-resolved' }): void {
    const asked = this.#asked.get(event.id);
    if (asked === undefined || event.proposal === true || !approves(asked.interrupt, event)) return;
    const { seq, interrupt } = asked;
    const { validUntil } = event;
    const pending = { asked: seq, interrupt, validUntil, code: interrupt.bound?.code, hasStarted: false };
    this.#pending = [...this.#pending, pending];
  }

  /** Marks an approval as void if the approved work has not started and hitl asks about it again. */
  #askedAgain(question: Interrupt, { seq, at }: Pick<StoredEvent, 'seq' | 'at'>): void {
    for (const pending of this.#pending) {
      const { asked, interrupt, code, validUntil, hasStarted } = pending;
      if (hasStarted || !isSameThing(interrupt, question)) continue;
      const isLate = validUntil !== undefined && !(timeOf(question.raisedAt) <= timeOf(validUntil));
      const why = code !== question.bound?.code ? 'code' : isLate ? 'time' : 'plan';
      this.#note(asked, { type: 'void', seq, at, why, again: question.id });
      this.#pending = this.#pending.filter((one) => one !== pending);
    }
  }

  #note(asked: number, standing: Standing): void {
    this.found.set(asked, [...(this.found.get(asked) ?? []), standing]);
  }
}

function voidedBy({
  past,
  lost,
  restored,
}: SessionEvent & { readonly type: 'approvals-voided' }): VoidReason {
  if (lost !== undefined) return 'lost';
  if (restored === true) return 'restored';
  return past === undefined ? 'fork' : 'elsewhere';
}

/** Whether this event uses up an approval. */
function usesUp(event: SessionEvent, scope: string, interrupt: Interrupt): boolean {
  if (event.type === 'tool-settled') return isOfCall(interrupt, scope, event.ref);
  if (event.type === 'node-settled' || event.type === 'node-failed') return isAtNode(interrupt, scope, event);
  if (event.type === 'node-started')
    return isAtNode(interrupt, scope, event) && phaseOf(interrupt) === 'before';
  if (event.type !== 'op-started' && event.type !== 'step-started') return false;
  const isPassed = !isOperationGate(interrupt) || operationOf(interrupt) === event.key;
  return isAtNode(interrupt, scope, event) && isPassed;
}

function approves(
  interrupt: Interrupt,
  {
    resolution: { action },
    by,
  }: { readonly resolution: { readonly action: ResolutionAction }; readonly by: Actor },
): boolean {
  return interrupt.source.type !== 'run' && (action === 'retry' || letsRun(interrupt, { action, by }));
}

function isOfCall({ source, path }: Interrupt, scope: string, ref: string): boolean {
  return source.type === 'tool' && source.ref === ref && path === scope;
}

function isAtNode(
  { source, path }: Interrupt,
  scope: string,
  { node, visit }: { readonly node: string; readonly visit: number },
): boolean {
  return source.type === 'node' && source.nodeId === node && source.visit === visit && path === scope;
}

function phaseOf({ source }: Interrupt): string | undefined {
  return source.type === 'node' ? source.phase : undefined;
}

function isSameThing(before: Interrupt, now: Interrupt): boolean {
  const { source } = now;
  if (source.type === 'tool') return isOfCall(before, now.path, source.ref);
  if (source.type !== 'node') return false;
  const isHere = isAtNode(before, now.path, { node: source.nodeId, visit: source.visit });
  return isHere && phaseOf(before) === source.phase && operationOf(before) === operationOf(now);
}

/** Describes how the status of an approval changed. */
export function standingText(
  standing: Standing,
  who = (by: Actor): Shown => escapeText(provenance(by)),
): Shown {
  if (standing.type === 'kept') return shown`for the changed code, by ${who(standing.by)}`;
  const { why, again } = standing;
  return again === undefined ? WHY[why] : shown`${WHY[why]}; asked again as ${escapeText(again)}`;
}

const WHY: Readonly<Record<VoidReason, Shown>> = {
  fork: shown`this session is a copy, and an approval is valid in only one session`,
  elsewhere: shown`the session came from another machine or user`,
  restored: shown`the database was restored from a backup`,
  lost: shown`session events are missing`,
  code: shown`the code has changed since then`,
  time: shown`it expired`,
  plan: shown`the plan has changed since then`,
};
