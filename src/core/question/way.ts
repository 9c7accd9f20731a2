import type { Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Resolution, ResolutionAction } from '../data/resolution.js';

/**
 * Values that an action needs in addition to its name. They are part of an input line, or a prompt asks for
 * them.
 */
export interface Taken {
  readonly nothing: undefined;
  /** Optional text; `''` if omitted. */
  readonly reason: string;
  readonly guidance: string;
  /** Required text. */
  readonly note: string;
  readonly node: string;
  /** Number of nodes, or a node's name. Default: one node. */
  readonly steps: { readonly steps?: number; readonly to?: string };
  /** Amount in the unit of the limit: rounds, activations, tokens, US dollars or milliseconds. */
  readonly amount: number;
  /** The answer, which must match the answer schema. */
  readonly answer: JsonValue;
  /** The changed input, which must match the tool's schema; `undefined` if unchanged. */
  readonly input: JsonValue | undefined;
  readonly patch: JsonObject;
  readonly value: JsonValue;
  readonly several: readonly Resolution[];
}

interface WayTaking<T extends keyof Taken> {
  readonly action: ResolutionAction;
  /** Key that selects the action at every prompt. It can also be typed as a word on a line. */
  readonly key: string;
  /** Words at the start of a line that select the action, in addition to the key. */
  readonly words: readonly string[];
  /** Format of an input line, shown in hints; `…` stands for a value. */
  readonly line: string;
  /** Label on the screen. It never contains untrusted text. */
  readonly label: string;
  /** What the action does, shown by `?`. */
  readonly help: string;
  /**
   * Whether the action runs something that would not run otherwise. If so, the whole question must have been
   * shown on the screen first.
   */
  readonly starts: boolean;
  /** Set if a workflow gate offers the action: before a node, after it, or both. */
  readonly gate?: 'before' | 'after' | 'both';
  /** Description for a model that interprets messages; absent if no model may choose the action. */
  readonly forModels?: string;
  readonly takes: T;
  readonly make: (taken: Taken[T]) => Resolution;
  /** Initial value when editing at a prompt. */
  readonly startsFrom?: 'state' | 'input' | 'output';
  /** Prompt for a value. If absent, an optional value is not requested. */
  readonly asks?: { readonly prompt: string; readonly hint: string; readonly initial?: string };
  /** Set if the action also approves later calls to the tool. */
  readonly always?: true;
}

/** An action. Its names never contain untrusted text. */
export type Way = { [T in keyof Taken]: WayTaking<T> }[keyof Taken];

/** The type of resolution for an action. */
export type ResolutionOf<A extends ResolutionAction> = {
  readonly [B in ResolutionAction]: Extract<Resolution, { readonly action: B }>;
}[A];

/** A decision in the past tense: `you <verb> [the <of> of] <subject>`. */
export interface Done {
  readonly look: 'done' | 'edited' | 'failed' | 'cancelled';
  /** `approved`. */
  readonly verb: string;
  /** The part of the subject that the decision concerns: `state`. */
  readonly of?: string;
  /** Text that the approver wrote with the decision. */
  readonly text?: string;
  /** The value that was provided: an answer, a patch or a replacement input. */
  readonly value?: JsonValue;
}

/** Changes made by a workflow resolution in addition to choosing the next step. */
export interface Edits {
  readonly patch?: JsonObject;
  readonly condition?: JsonObject;
  readonly note?: string;
  readonly output?: { readonly value: JsonValue };
}

/** An action's properties that do not depend on how it was entered. */
interface ActionFacts<A extends ResolutionAction> {
  readonly done: (resolution: ResolutionOf<A>, interrupt: Interrupt) => Done;
  /** Set for actions that edit something without affecting which step comes next. */
  readonly edits?: (resolution: ResolutionOf<A>) => Edits;
}

/**
 * An action that a kind of interrupt offers. It may have its own wording, and may be limited to the cases in
 * `only`.
 */
export interface Offer {
  readonly way: keyof Ways;
  readonly only?: 'operation' | 'tool' | 'node' | 'before' | 'after';
  readonly line?: string;
  readonly label?: string;
  readonly help?: string;
  /** Set if the action is offered only when the asker explicitly allows it. */
  readonly byRaiser?: true;
}

/** Properties of every action that do not depend on how it was entered. */
export type Facts = { readonly [A in ResolutionAction]: ActionFacts<A> };

/** Every action, with two more forms of `restart`. Omitting one is a compile error. */
export type Ways = Readonly<Record<ResolutionAction | 'edit' | 'always', Way>> & Facts;
