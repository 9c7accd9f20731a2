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

/** Assigns ids and paths to interrupts. */
export interface InterruptMint {
  make(draft: InterruptDraft): Interrupt;
}

/** Questions about repeating something that was started. */
const AGAIN: ReadonlySet<InterruptKind> = new Set(['in-doubt', 'error']);

/** Numbers a session's interrupts after `count` earlier ones, wherever they are raised (I-4). */
export class InterruptFactory implements InterruptMint {
  #numbers: { count: number };
  #people: ApprovalPolicy | undefined;
  readonly #now: () => number;

  constructor(count: number, now: () => number) {
    this.#numbers = { count };
    this.#now = now;
  }

  /**
   * Creates interrupts about what these people approved: repeating it needs them too
   * (V4 of `../core/state/people-of-call.ts`).
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

  /** Creates interrupts of the run at a path. */
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
 * Returns what an answer is bound to: this run, and the tool's definition. `undefined`: the tool is missing
 * (G11).
 */
export function bindingOf(tool: Tool | undefined, runId: string): Binding {
  if (tool === undefined) return { run: runId, tool: '' };
  const { code } = tool;
  return { run: runId, tool: schemaDigest(tool), ...(code !== undefined && { code }) };
}

/** The part of a call that its questions show. */
export interface ShownCall {
  readonly input: JsonValue;
  /** The call in one line, in the tool's words. */
  readonly title?: string | undefined;
}

/** The source of a question about a call: the call as it is shown, and who asks. */
export function toolSource(
  { request: { ref, name } }: Pick<Call, 'request'>,
  { input, title }: ShownCall,
  raisedBy: ToolSource['raisedBy'],
): ToolSource {
  return { type: 'tool', ref, name, input, raisedBy, ...present({ title }) };
}
