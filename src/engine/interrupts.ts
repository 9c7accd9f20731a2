import type {
  ApprovalPolicy,
  Binding,
  Call,
  Interrupt,
  InterruptDraft,
  InterruptKind,
  JsonValue,
  NodePath,
  Tool,
  ToolSource,
} from '../core/index.js';
import {
  askingPeople,
  bothApprovers,
  interruptId,
  isoTime,
  makeInterrupt,
  present,
  ROOT_PATH,
  schemaDigest,
} from '../core/index.js';

/** Creates interrupts, and assigns their ids and paths. */
export interface InterruptMint {
  make(draft: InterruptDraft): Interrupt;
}

/** Kinds of questions whose answer may rerun something that was already started. */
const AGAIN: ReadonlySet<InterruptKind> = new Set(['in-doubt', 'error']);

/**
 * Creates the interrupts of a session and numbers them, continuing after `count` earlier ones. The numbering
 * is the same wherever they are raised (I-4).
 */
export class InterruptFactory implements InterruptMint {
  #numbers: { count: number };
  #people: ApprovalPolicy | undefined;
  readonly #now: () => number;

  constructor(count: number, now: () => number) {
    this.#numbers = { count };
    this.#now = now;
  }

  /**
   * Returns a factory for interrupts about something that the given approvers approved. A repetition also
   * needs their approval (V4 of `../core/state/people-of-call.ts`).
   */
  asking(people: ApprovalPolicy | undefined): InterruptFactory {
    if (people === undefined) return this;
    const inside = new InterruptFactory(0, this.#now);
    inside.#numbers = this.#numbers;
    inside.#people = bothApprovers(this.#people, people);
    return inside;
  }

  make(draft: InterruptDraft): Interrupt {
    return this.#make(draft, ROOT_PATH);
  }

  /** Returns a factory for interrupts of the run at a path. */
  at(path: NodePath): InterruptMint {
    return { make: (draft) => this.#make(draft, path) };
  }

  #make(draft: InterruptDraft, path: NodePath): Interrupt {
    this.#numbers.count += 1;
    const raisedAt = isoTime(this.#now());
    const asked = AGAIN.has(draft.kind) ? askingPeople(draft, this.#people) : draft;
    return makeInterrupt(asked, { id: interruptId(`i${this.#numbers.count}`), path, raisedAt });
  }
}

/**
 * Returns the binding of an answer to this run and to the tool's definition (G11).
 * @param tool `undefined` if the tool is missing
 */
export function bindingOf(tool: Tool | undefined, runId: string): Binding {
  if (tool === undefined) return { run: runId, tool: '' };
  const { code } = tool;
  return { run: runId, tool: schemaDigest(tool), ...(code !== undefined && { code }) };
}

/** The part of a call that is shown in questions about the call. */
export interface ShownCall {
  readonly input: JsonValue;
  /** The tool's one-line title for the call. */
  readonly title?: string | undefined;
}

/** Returns the source of a question about a call: the call as shown, and what raised the question. */
export function toolSource(
  { request: { ref, name } }: Pick<Call, 'request'>,
  { input, title }: ShownCall,
  raisedBy: ToolSource['raisedBy'],
): ToolSource {
  return { type: 'tool', ref, name, input, raisedBy, ...present({ title }) };
}
