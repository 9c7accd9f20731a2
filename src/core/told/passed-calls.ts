// Invariants:
// P1 Every start of a call is passed, unless a person's own yes for exactly that call came last: with doubt it is listed.
// P2 A rule, a mode, a script and time are no person. Neither is a yes that this store did not write, for a start that it did.
// P3 `retry` grants nothing: what held for the call before it holds after it.
import { UNKNOWN_ACTOR, isActor } from '../data/actor-name.js';
import type { ToolErrorCode } from '../data/errors.js';
import type { ToolRef } from '../data/ids.js';
import type { Effect, Interrupt, ToolSource } from '../data/interrupt.js';
import type { JsonValue } from '../data/json.js';
import { ONLY_READS } from '../question/call-facts.js';
import { membersOf, present } from '../data/json.js';
import type { Actor } from '../data/resolution.js';
import type { Review, Verdict } from '../data/review.js';
import type { SessionEvent, StoredEvent } from '../state/event.js';
import { TODO_TOOL } from './todo.js';

/** Why a call ran without asking for approval. */
export type UnaskedTier =
  /** The tool is built in and only reads. */
  | 'reading'
  /** The command ran in an environment where it could not change or send anything. */
  | 'read-only-command'
  /** The tool declares that it does not change anything. */
  | 'no-effect'
  /** The call may change something, but its tool does not ask for approval. */
  | 'does-not-ask';

/** The reason that a call could run without a person's approval. */
export type PassedBy =
  | { readonly type: 'unasked'; readonly tier: UnaskedTier }
  /** A rule, mode, script or other actor answered the question about the call. */
  | { readonly type: 'decided'; readonly by: Actor; readonly seq: number }
  /** The call was approved in a person's name, but the approval does not have the store's seal. */
  | { readonly type: 'unproved'; readonly by: Actor; readonly seq: number };

/** A call that started without a person's approval. */
export interface PassedCall {
  /** Number of the event that started the call. */
  readonly seq: number;
  readonly startedAt: string;
  /** The node in which the call ran; absent in a chat. */
  readonly path?: string;
  readonly ref: ToolRef;
  readonly attempt: number;
  readonly tool: string;
  /** One-line description of the call, as it was or would have been shown. The text is untrusted. */
  readonly title?: string;
  readonly input: JsonValue;
  readonly effect: Effect;
  readonly passed: PassedBy;
  /**
   * The request shown in the call's question when it was answered: details, diff and warnings. Absent if
   * there was no question.
   */
  readonly plan?: JsonValue;
  /** Verdict of the reviewer that allowed the call. */
  readonly review?: Verdict;
  /** What raised the question: the approval check or the tool itself. Absent if there was no question. */
  readonly askedBy?: ToolSource['raisedBy'];
  /**
   * `asked`: the call stopped to ask a question. `unknown`: the call has not ended, or its outcome is
   * unknown.
   */
  readonly outcome: 'done' | 'failed' | 'asked' | 'unknown';
  readonly output?: JsonValue;
  readonly error?: { readonly code?: ToolErrorCode; readonly message: string };
}

/** Built-in tools that only read or ask. */
const READING: ReadonlySet<string> = new Set([
  'read_file',
  'list_files',
  'search_files',
  'ask_user',
  TODO_TOOL,
]);

/** The latest decision that allowed a call to run. */
interface Grant {
  readonly by: Actor;
  readonly seq: number;
  readonly foreign: boolean;
  readonly plan: JsonValue;
  readonly review?: Verdict;
  readonly askedBy: ToolSource['raisedBy'];
}

/** An unanswered question about a call. */
interface Question {
  readonly interrupt: Interrupt;
  readonly askedBy: ToolSource['raisedBy'];
  readonly path: string;
  readonly key: string;
  /** The latest review of the question. */
  readonly review?: Review['outcome'];
}

/** Lists the calls in a session that started without a person's approval, in order. */
export function passedCalls(events: readonly StoredEvent[]): readonly PassedCall[] {
  const review = new Reader();
  for (const stored of events) review.read(stored);
  return review.passed;
}

/**
 * Counts the calls in a session that need review, one event at a time. It does not keep inputs, outputs or
 * plans, so it can run for as long as the session does.
 */
export class ReviewTally {
  readonly #reader = new Reader(false);
  #counted: { readonly after: number; readonly calls: number } | undefined;

  read(stored: StoredEvent): void {
    this.#reader.read(stored);
    this.#counted = undefined;
  }

  /** Returns the number of calls to review that started after the event with this number. */
  after(seq: number): number {
    if (this.#counted?.after !== seq)
      this.#counted = {
        after: seq,
        calls: toReview(this.#reader.passed.filter((call) => call.seq > seq)),
      };
    return this.#counted.calls;
  }
}

class Reader {
  readonly passed: PassedCall[] = [];
  readonly #keepsValues: boolean;
  readonly #grants = new Map<string, Grant>();
  readonly #open = new Map<string, readonly Question[]>();
  /** Indexes of running calls in `passed`. */
  readonly #running = new Map<string, number>();

  /** @param keepsValues whether inputs, outputs and plans are kept */
  constructor(keepsValues = true) {
    this.#keepsValues = keepsValues;
  }

  read(stored: StoredEvent): void {
    const { scope, event } = stored;
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the other events decide about no call
    switch (event.type) {
      case 'message-added':
        // A new request is a new call, even if it has the ref of an old one.
        for (const part of event.message.content)
          if (part.type === 'tool-request') this.#grants.delete(keyOf(scope, part.ref));
        break;
      case 'interrupt-raised':
        this.#raised(scope, event.interrupt);
        break;
      case 'interrupt-escalated': {
        const question = this.#take(scope, event.id);
        if (question !== undefined) this.#wait({ ...question, interrupt: event.interrupt });
        break;
      }
      case 'reviewed': {
        const question = this.#take(scope, event.id);
        if (question !== undefined) this.#wait({ ...question, review: event.outcome });
        break;
      }
      case 'interrupt-resolved':
        this.#resolved(stored, event);
        break;
      case 'approvals-voided':
        this.#grants.clear();
        break;
      case 'rewound':
        for (const key of [...this.#grants.keys()]) if (key.startsWith(scope)) this.#grants.delete(key);
        break;
      case 'tool-started':
        this.#started(stored, event);
        break;
      case 'tool-settled': {
        const { outcome } = event;
        this.#close(
          keyOf(scope, event.ref),
          outcome.type === 'output'
            ? { outcome: 'done', output: outcome.output }
            : {
                outcome: outcome.code === 'aborted' ? 'unknown' : 'failed',
                error: { code: outcome.code, message: outcome.message },
              },
        );
        break;
      }
      default:
        break;
    }
  }

  #raised(scope: string, interrupt: Interrupt): void {
    const { source, kind, payload } = interrupt;
    if (source.type !== 'tool' || interrupt.atOnce === true) return;
    const key = keyOf(scope, source.ref);
    this.#wait({ interrupt, askedBy: source.raisedBy, path: scope, key });
    if (source.raisedBy === 'approval') this.#grants.delete(key);
    if (source.raisedBy === 'tool') this.#close(key, { outcome: 'asked' });
    if (kind === 'error') {
      const { message } = membersOf(payload);
      this.#close(key, {
        outcome: 'failed',
        error: { message: typeof message === 'string' ? message : 'the tool failed' },
      });
    }
  }

  #resolved(
    { scope, seq, foreign }: StoredEvent,
    { id, resolution, by, proposal }: SessionEvent & { readonly type: 'interrupt-resolved' },
  ): void {
    const question = this.#take(scope, id);
    if (question === undefined) return;
    const { interrupt, askedBy, key } = question;
    // A person's word on a doubt settles the call, and nobody saw how that run ended.
    if (interrupt.kind === 'in-doubt') this.#running.delete(key);
    if (resolution.action !== 'restart' || proposal === true) return; // P3
    const shown =
      resolution.input === undefined ? interrupt.payload : (resolution.shown?.request ?? interrupt.payload);
    const plan = this.#keepsValues ? shown : null;
    const said = by.type === 'reviewer' && question.review?.type === 'said' ? question.review : undefined;
    const review = said && verdictOf(said);
    this.#grants.set(key, { by, seq, foreign: foreign === true, plan, askedBy, ...present({ review }) });
  }

  #started(
    { scope, seq, foreign }: StoredEvent,
    start: SessionEvent & { readonly type: 'tool-started' },
  ): void {
    const { ref, name, title, attempt, effect, input, startedAt } = start;
    const key = keyOf(scope, ref);
    const grant = this.#grants.get(key);
    const passed = passedBy(start, grant, foreign === true);
    this.#running.delete(key);
    if (passed === undefined) return;
    this.#running.set(key, this.passed.length);
    this.passed.push({
      ...{ seq, startedAt, ref, attempt, tool: name, effect, passed, outcome: 'unknown' },
      input: this.#keepsValues ? input : null,
      ...(scope !== '' && { path: scope }),
      ...present({ title, plan: grant?.plan, review: grant?.review, askedBy: grant?.askedBy }),
    });
  }

  #close(key: string, end: Pick<PassedCall, 'outcome' | 'output' | 'error'>): void {
    const at = this.#running.get(key);
    const call = at === undefined ? undefined : this.passed[at];
    const kept = this.#keepsValues ? end : { outcome: end.outcome };
    if (at !== undefined && call !== undefined) this.passed[at] = { ...call, ...kept };
    this.#running.delete(key);
  }

  #wait(question: Question): void {
    const { id } = question.interrupt;
    this.#open.set(id, [...(this.#open.get(id) ?? []), question]);
  }

  /**
   * Removes the open question with this id and returns it; `undefined` if there is none, or if two questions
   * have the id (P1).
   */
  #take(scope: string, id: string): Question | undefined {
    const all = this.#open.get(id) ?? [];
    const own = all.filter(({ path }) => path === scope);
    const [found, ...more] = own.length > 0 ? own : scope === '' ? all : [];
    if (found === undefined || more.length > 0) return undefined;
    this.#open.set(
      id,
      all.filter((one) => one !== found),
    );
    return found;
  }
}

function verdictOf({ risk, authorized, decision, why }: Verdict): Verdict {
  return { risk, authorized, decision, why };
}

/**
 * Returns the key of a call. It includes the scope, because calls in two workflow nodes may have the same
 * ref.
 */
function keyOf(scope: string, ref: string): string {
  return `${scope} ${ref}`;
}

/**
 * Returns the reason that a call could start without a person's approval; `undefined` if a person approved it
 * (P1, P2).
 */
function passedBy(
  { name, effect }: SessionEvent & { readonly type: 'tool-started' },
  grant: Grant | undefined,
  isForeign: boolean,
): PassedBy | undefined {
  if (grant === undefined) return { type: 'unasked', tier: tierOf(name, effect) };
  const { by, seq, foreign } = grant;
  if (!isActor(by) || by.type !== 'person') return { type: 'decided', by, seq };
  return foreign && !isForeign ? { type: 'unproved', by, seq } : undefined;
}

function tierOf(name: string, effect: Effect): UnaskedTier {
  if (effect !== 'none') return 'does-not-ask';
  if (name === 'run_command') return 'read-only-command';
  return READING.has(name) ? 'reading' : 'no-effect';
}

/**
 * Whether a list only counts a call instead of showing it. This applies to calls that could only read or that
 * stopped to ask.
 */
export function isFolded({ passed, outcome }: Pick<PassedCall, 'passed' | 'outcome'>): boolean {
  if (outcome === 'asked') return true;
  return passed.type === 'unasked' && (passed.tier === 'reading' || passed.tier === 'read-only-command');
}

const TIERS: Readonly<Record<UnaskedTier, string>> = {
  reading: 'only reads',
  'read-only-command': ONLY_READS,
  'no-effect': 'declared read-only',
  'does-not-ask': 'the tool does not ask',
};

/**
 * Describes the rule, mode or other reason that allowed a call to run: `mode accept-edits`, `rule
 * \`run_command git …\` (--yes)`. The result is not escaped.
 */
export function passedWords({ passed, outcome }: Pick<PassedCall, 'passed' | 'outcome'>): string {
  if (outcome === 'asked') return 'stopped to ask you';
  if (passed.type === 'unasked') return TIERS[passed.tier];
  const { by } = passed;
  if (!isActor(by)) return UNKNOWN_ACTOR;
  switch (by.type) {
    case 'rule': {
      if (by.grant !== undefined) return `${by.rule} (${by.from ?? 'grant'})`;
      const from = by.from === undefined ? '' : ` (${by.from})`;
      return by.rule.startsWith('mode ') ? by.rule : `rule \`${by.rule}\`${from}`;
    }
    case 'script':
      return `script ${by.name} (${[by.via, ...(by.place === undefined ? [] : [by.place])].join(' ')})`;
    case 'person':
      return `approval by ${by.name}, not recorded in this store`;
    case 'reviewer':
      return `reviewer ${by.name}`;
    case 'clock':
      return 'the clock';
  }
}

/** Calls of the same kind that the same rule, mode or tool allowed. */
export interface PassedGroup {
  /** Description of the calls: `14 edits in src`. It is not escaped. */
  readonly what: string;
  /** The rule, mode or tool that allowed the calls: `mode accept-edits`. It is not escaped. */
  readonly by: string;
  readonly isFolded: boolean;
  readonly calls: readonly PassedCall[];
}

/** Groups calls by kind and by the rule, mode or tool that allowed them. Folded groups come last. */
export function passedGroups(calls: readonly PassedCall[]): readonly PassedGroup[] {
  const groups = new Map<string, PassedCall[]>();
  for (const call of calls) {
    const key = JSON.stringify([kindOf(call), passedWords(call)]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [call]);
    else group.push(call);
  }
  const told = [...groups.values()].flatMap((group): readonly PassedGroup[] => {
    const [first] = group;
    if (first === undefined) return [];
    const nouns = NOUNS.get(kindOf(first)) ?? [`${first.tool} call`, `${first.tool} calls`];
    const what = `${group.length} ${nouns[group.length === 1 ? 0 : 1]}${folderOf(group)}`;
    return [{ what, by: passedWords(first), isFolded: isFolded(first), calls: group }];
  });
  return [...told.filter((group) => !group.isFolded), ...told.filter((group) => group.isFolded)];
}

/**
 * Summarizes groups of calls: `14 edits in src, 2 run_command calls, 9 read-only commands`. The result is not
 * escaped.
 */
export function passedSummary(groups: readonly PassedGroup[]): string {
  return groups
    .map(({ what, calls: [first] }) =>
      first?.outcome === 'asked' ? `${what} that stopped to ask you` : what,
    )
    .join(', ');
}

/** Returns the number of calls that need review, excluding folded ones. */
export function toReview(calls: readonly PassedCall[]): number {
  return calls.filter((call) => !isFolded(call)).length;
}

const EDITS: ReadonlySet<string> = new Set(['edit_file', 'write_file']);

/**
 * Nouns for each kind of call. In a plain object, the name of a tool could match a built-in property, so this
 * is a map.
 */
const NOUNS: ReadonlyMap<string, readonly [one: string, many: string]> = new Map([
  [' edits', ['edit', 'edits']],
  [' asked', ['call', 'calls']],
  [' reading', ['read', 'reads']],
  [' commands', ['read-only command', 'read-only commands']],
]);

/**
 * Returns the kind of a call: a predefined kind, which starts with a space, or the name of the tool, which
 * does not.
 */
function kindOf(call: PassedCall): string {
  const { tool, passed, outcome } = call;
  if (outcome === 'asked') return ' asked';
  if (isFolded(call))
    return passed.type === 'unasked' && passed.tier === 'reading' ? ' reading' : ' commands';
  return EDITS.has(tool) ? ' edits' : tool;
}

/**
 * Formats the folder that contains all edited files, such as ` in src`; empty if there is no common folder.
 */
function folderOf(calls: readonly PassedCall[]): string {
  const [first = [], ...more] = calls.map(({ tool, input }): readonly string[] => {
    const { path } = membersOf(input);
    return EDITS.has(tool) && typeof path === 'string'
      ? path.replace(/^\.\//u, '').split('/').slice(0, -1)
      : [];
  });
  let common = first;
  for (const folders of more) {
    const end = common.findIndex((name, at) => folders[at] !== name);
    if (end >= 0) common = common.slice(0, end);
  }
  const folder = common.join('/');
  return folder === '' ? '' : ` in ${folder}`;
}
