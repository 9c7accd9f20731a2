import type { Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Resolution, ResolutionAction } from '../data/resolution.js';

/** Values that an action needs besides its name; lines contain them as text, prompts ask for them. */
export interface Taken {
  readonly nothing: undefined;
  /** Optional text; `''` if omitted. */
  readonly reason: string;
  readonly guidance: string;
  /** Required text. */
  readonly note: string;
  readonly node: string;
  /** Number of nodes, or a node name; default: one node. */
  readonly steps: { readonly steps?: number; readonly to?: string };
  /** In the limit's unit: rounds, activations, tokens, US dollars or milliseconds. */
  readonly amount: number;
  /** Must match the answer schema. */
  readonly answer: JsonValue;
  /** Must match the tool's schema; `undefined` if unchanged. */
  readonly input: JsonValue | undefined;
  readonly patch: JsonObject;
  readonly value: JsonValue;
  readonly several: readonly Resolution[];
}

interface WayTaking<T extends keyof Taken> {
  readonly action: ResolutionAction;
  /** Key at a prompt; the same everywhere. Also a word on a line. */
  readonly key: string;
  /** First words of a line, besides the key. */
  readonly words: readonly string[];
  /** Form of a line, for hints; `…` is a value. */
  readonly line: string;
  /** Label on screen; never foreign text. */
  readonly label: string;
  /** Effect, shown by `?`. */
  readonly help: string;
  /** Whether it runs something that would not run otherwise: then the whole question must have been on the screen. */
  readonly starts: boolean;
  /** Set if a workflow gate offers it: before a node, after it, or both. */
  readonly gate?: 'before' | 'after' | 'both';
  /** Description for a model that interprets messages; absent if no model may choose it. */
  readonly forModels?: string;
  readonly takes: T;
  readonly make: (taken: Taken[T]) => Resolution;
  /** The initial value of an edit at a prompt. */
  readonly startsFrom?: 'state' | 'input' | 'output';
  /** The prompt's question; absent: an optional value is not asked for. */
  readonly asks?: { readonly prompt: string; readonly hint: string; readonly initial?: string };
  /** Approve later calls of the tool as well. */
  readonly always?: true;
}

/** One action; its names never come from foreign text. */
export type Way = { [T in keyof Taken]: WayTaking<T> }[keyof Taken];

/** The resolution of an action. */
export type ResolutionOf<A extends ResolutionAction> = {
  readonly [B in ResolutionAction]: Extract<Resolution, { readonly action: B }>;
}[A];

/** A decision in past tense: `you <verb> [the <of> of] <subject>`. */
export interface Done {
  readonly look: 'done' | 'edited' | 'failed' | 'cancelled';
  /** `approved`. */
  readonly verb: string;
  /** The part of the subject that it is about: `state`. */
  readonly of?: string;
  /** Accompanying text; the approver's words. */
  readonly text?: string;
  /** Given value: an answer, a patch, another input. */
  readonly value?: JsonValue;
}

/** Changes that a workflow resolution makes besides choosing the next step. */
export interface Edits {
  readonly patch?: JsonObject;
  readonly condition?: JsonObject;
  readonly note?: string;
  readonly output?: { readonly value: JsonValue };
}

/** An action's facts, however it was given. */
interface ActionFacts<A extends ResolutionAction> {
  readonly done: (resolution: ResolutionOf<A>, interrupt: Interrupt) => Done;
  /** Set for actions that do not change a run's course. */
  readonly edits?: (resolution: ResolutionOf<A>) => Edits;
}

/** A kind of interrupt's offer of an action, with its own words, and only if `only` allows it. */
export interface Offer {
  readonly way: keyof Ways;
  readonly only?: 'operation' | 'tool' | 'node' | 'before' | 'after';
  readonly line?: string;
  readonly label?: string;
  readonly help?: string;
  /** Offered only if the asker allows it by name. */
  readonly byRaiser?: true;
}

/** The properties of every action. */
export type Facts = { readonly [A in ResolutionAction]: ActionFacts<A> };

/** Every action, and the two other forms of `restart`. A missing one does not compile. */
export type Ways = Readonly<Record<ResolutionAction | 'edit' | 'always', Way>> & Facts;
