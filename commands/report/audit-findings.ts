import type {
  Interrupt,
  JsonValue,
  SessionRule,
  StoredEvent,
  ToolRef,
  ToolSource,
} from '../../src/core/index.js';
import {
  actorProblem,
  coversCall,
  digestCovers,
  isJsonObject,
  jsonEquals,
  toolDigest,
  isActor,
} from '../../src/core/index.js';

/**
 * An inconsistency that suggests tampering: hitl never writes such a record, although the journal's checksums
 * and chain are intact.
 */
export interface AuditFinding {
  /** Number of the inconsistent event. */
  readonly seq: number;
  /** The guarantee that the event violates. */
  readonly rule: 'G8' | 'G9' | 'G10' | 'G11' | 'G12' | 'G24';
  readonly what: string;
}

/** Numbers of checked items. They show whether there was anything to check. */
export interface AuditCounts {
  readonly interrupts: number;
  readonly resolutions: number;
  readonly starts: number;
  /** Number of tool starts whose exact input was approved. */
  readonly approvedStarts: number;
  /** Number of questions answered by a timeout; absent if there are none. */
  readonly byClock?: number;
}

/** A range of consecutive records that were written either with the store's key or without it. */
export interface WrittenRange {
  readonly from: number;
  readonly to: number;
  readonly by: 'your-key' | 'unknown';
  /**
   * Number of the record, signed with the user's key, that adopted these records. Absent if they have not
   * been adopted or if they are the user's own.
   */
  readonly takenOver?: number;
}

/**
 * Returns the ranges of records that were or were not signed with the store's key. The next signed record
 * adopts unsigned records before it.
 */
export function writtenRanges(events: readonly StoredEvent[]): readonly WrittenRange[] {
  const ranges: WrittenRange[] = [];
  for (const { seq, foreign } of events) {
    const by = foreign === true ? 'unknown' : 'your-key';
    const last = ranges.at(-1);
    if (last?.by === by) ranges[ranges.length - 1] = { ...last, to: seq };
    else {
      if (last?.by === 'unknown') ranges[ranges.length - 1] = { ...last, takenOver: seq };
      ranges.push({ from: seq, to: seq, by });
    }
  }
  return ranges;
}

/**
 * Describes in one line the records that were not written with the user's key. Returns `undefined` if there
 * are none, or if the session has no key.
 */
export function foreignLine(events: readonly StoredEvent[]): string | undefined {
  const foreign = writtenRanges(events).filter(({ by }) => by === 'unknown');
  if (foreign.length === 0) return undefined;
  const ranges = foreign.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
  const isOne = foreign.length === 1 && foreign[0]?.from === foreign[0]?.to;
  return isOne
    ? `event ${ranges} was not signed with your key`
    : `events ${ranges} were not signed with your key`;
}

/** The history of a call before the record that is being checked. */
interface CallHistory {
  /**
   * The input that a person or rule approved. If it was `edited`, the tool's schema may have added defaults.
   */
  readonly agreed?: { readonly input: JsonValue; readonly edited: boolean };
  /** The input with which the call last started. */
  readonly started?: JsonValue;
  readonly attempts: number;
  /** Whether a question about the call was asked after its last start. */
  readonly asked: boolean;
}

const NEW_CALL: CallHistory = { attempts: 0, asked: false };

/**
 * Checks everything that replaying the events does not check: digests, approvals and the calls that they
 * allowed, rules, and authors.
 */
export function auditEvents(events: readonly StoredEvent[]): {
  readonly findings: readonly AuditFinding[];
  readonly counts: AuditCounts;
} {
  const audit = new Audit();
  for (const stored of events) audit.take(stored);
  return { findings: audit.findings, counts: audit.counts };
}

/**
 * Returns the reason that the author of a decision is invalid. Returns `undefined` if the author is valid, or
 * if the event is not a decision.
 */
export function unknownActor(event: StoredEvent['event']): string | undefined {
  const isDecision =
    event.type === 'interrupt-resolved' || event.type === 'rule-added' || event.type === 'rule-removed';
  const wrong = isDecision ? actorProblem(event.by) : undefined;
  return wrong === undefined ? undefined : `cannot tell who decided: ${wrong}`;
}

class Audit {
  readonly findings: AuditFinding[] = [];
  counts: AuditCounts = { interrupts: 0, resolutions: 0, starts: 0, approvedStarts: 0 };
  readonly #calls = new Map<string, CallHistory>();
  readonly #open = new Map<string, Interrupt>();
  /** Digests of the session's tools, by name. */
  readonly #tools = new Map<string, string>();
  /** Rules approved for the rest of the session. */
  #allowed: readonly SessionRule[] = [];
  #epoch = 0;

  take({ seq, event, scope }: StoredEvent): void {
    const nobody = unknownActor(event);
    if (nobody !== undefined) this.#find(seq, 'G11', nobody);
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other events neither ask, agree nor run
    switch (event.type) {
      case 'session-created':
      case 'agent-changed':
        for (const tool of event.agent.tools) this.#tools.set(tool.name, toolDigest(tool));
        return;
      case 'session-opened':
        if (event.epoch !== this.#epoch + 1)
          this.#find(seq, 'G24', `writer ${event.epoch} follows writer ${this.#epoch}`);
        this.#epoch = event.epoch;
        return;
      case 'approvals-voided':
        this.#allowed = [];
        return;
      case 'rule-added':
        this.#allowed = [...this.#allowed, event.rule];
        return;
      case 'rule-removed':
        this.#allowed = this.#allowed.filter(({ tool }) => tool !== event.tool);
        return;
      case 'interrupt-raised':
        this.#raised(seq, scope, event.interrupt);
        return;
      case 'interrupt-escalated':
        this.#escalated(seq, scope, event);
        return;
      case 'interrupt-resolved':
        this.#resolved(seq, scope, event);
        return;
      case 'tool-started':
        this.#started(seq, scope, event);
        return;
      default:
        return;
    }
  }

  #find(seq: number, rule: AuditFinding['rule'], what: string): void {
    this.findings.push({ seq, rule, what });
  }

  #call(scope: string, ref: ToolRef): CallHistory {
    return this.#calls.get(`${scope}\n${ref}`) ?? NEW_CALL;
  }

  #remember(scope: string, ref: ToolRef, call: CallHistory): void {
    this.#calls.set(`${scope}\n${ref}`, call);
  }

  #raised(seq: number, scope: string, interrupt: Interrupt): void {
    this.counts = { ...this.counts, interrupts: this.counts.interrupts + 1 };
    const { id, digest, source } = interrupt;
    if (digestCovers(interrupt) === 'none')
      this.#find(seq, 'G11', `the hash of ${id} does not match its content (${digest.slice(0, 8)})`);
    this.#open.set(id, interrupt);
    if (source.type === 'tool' && interrupt.atOnce !== true)
      this.#remember(scope, source.ref, { ...this.#call(scope, source.ref), asked: true });
  }

  #escalated(
    seq: number,
    scope: string,
    { id, interrupt }: StoredEvent['event'] & { type: 'interrupt-escalated' },
  ): void {
    if (!this.#open.delete(id)) this.#find(seq, 'G11', `${id} was not open when it was escalated`);
    this.#raised(seq, scope, interrupt);
  }

  #resolved(seq: number, scope: string, event: StoredEvent['event'] & { type: 'interrupt-resolved' }): void {
    const { id, digest, resolution, by } = event;
    const { resolutions, byClock = 0 } = this.counts;
    const timed = isActor(by) && by.type === 'clock' && { byClock: byClock + 1 };
    this.counts = { ...this.counts, resolutions: resolutions + 1, ...timed };
    const interrupt = this.#open.get(id);
    this.#open.delete(id);
    if (interrupt === undefined) {
      this.#find(seq, 'G11', `${id} was not open when it was answered`);
      return;
    }
    if (interrupt.digest !== digest) this.#find(seq, 'G11', `the answer to ${id} specifies a different hash`);
    const { source } = interrupt;
    if (source.type !== 'tool') return;
    if (by.type === 'rule' && isOfSession(by.rule, source.name)) this.#ruled(seq, interrupt, source);
    // The use that an answer names is held to its grant by the fold.
    if (by.type === 'rule' && by.grant === undefined && isOfSession(by.rule, source.name, 'granted'))
      this.#find(seq, 'G11', `${id} was answered by a grant, but does not specify the use`);
    if (resolution.action !== 'restart') return;
    const edited = resolution.input !== undefined;
    const agreed = { input: resolution.shown?.input ?? resolution.input ?? source.input, edited };
    this.#remember(scope, source.ref, { ...this.#call(scope, source.ref), agreed });
  }

  /**
   * Checks an answer that a session rule gave. A rule applies only to the definition that the tool had when
   * the rule was added (T8).
   */
  #ruled(seq: number, { id, payload }: Interrupt, { name: tool, input }: ToolSource): void {
    const covering = this.#allowed.filter((rule) => coversCall(rule, { name: tool, input, payload }));
    if (covering.length === 0) this.#find(seq, 'G11', `${id} was answered by a rule that was never added`);
    else if (covering.every(({ toolDigest: digest }) => digest !== this.#tools.get(tool)))
      this.#find(seq, 'G11', `${id} was answered by a rule for a different version of \`${tool}\``);
  }

  #started(seq: number, scope: string, event: StoredEvent['event'] & { type: 'tool-started' }): void {
    this.counts = { ...this.counts, starts: this.counts.starts + 1 };
    const { ref, name, input, attempt, effect } = event;
    const call = this.#call(scope, ref);
    if (attempt !== call.attempts + 1)
      this.#find(seq, 'G9', `attempt ${attempt} of ${ref} follows attempt ${call.attempts}`);
    if (effect === 'once' && call.attempts > 0 && !call.asked)
      this.#find(seq, 'G10', `\`${name}\` (${ref}) ran again without asking`);
    const { agreed } = call;
    if (agreed !== undefined) {
      if (fits(input, agreed))
        this.counts = { ...this.counts, approvedStarts: this.counts.approvedStarts + 1 };
      else this.#find(seq, 'G12', `\`${name}\` (${ref}) ran with input that was not approved`);
    } else if (call.started !== undefined && !jsonEquals(call.started, input))
      this.#find(seq, 'G12', `\`${name}\` (${ref}) ran again with different input`);
    this.#remember(scope, ref, { ...call, attempts: attempt, started: input, asked: false });
  }
}

/**
 * Whether an input was approved. It must be exactly the input that was shown. If the input was edited, the
 * schema may have added defaults.
 */
function fits(input: JsonValue, agreed: { readonly input: JsonValue; readonly edited: boolean }): boolean {
  return jsonEquals(input, agreed.input) || (agreed.edited && holds(input, agreed.input));
}

function holds(whole: JsonValue, part: JsonValue): boolean {
  if (!isJsonObject(whole) || !isJsonObject(part)) return jsonEquals(whole, part);
  return Object.entries(part).every(([key, value]) => {
    const member = whole[key];
    return member !== undefined && holds(member, value);
  });
}

/** Whether the text of a rule is one that a session creates for this tool. */
function isOfSession(rule: string, tool: string, word: 'always' | 'granted' = 'always'): boolean {
  const name = `${word} ${tool}`;
  return rule === name || rule.startsWith(`${name} `) || rule.startsWith(`${name},`);
}
