import type { Interrupt } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import type { Resolution, ResolutionAction } from '../data/resolution.js';

/** The values that a way to answer takes beside its name; a line gives them as text, a prompt asks for them. */
export interface Taken {
  readonly nothing: undefined;
  /** Words that may be left out; `''` where they are. */
  readonly reason: string;
  readonly guidance: string;
  /** Words that may not. */
  readonly note: string;
  readonly node: string;
  /** The number of nodes, or the name of one; neither is one node. */
  readonly steps: { readonly steps?: number; readonly to?: string };
  /** Of a limit, in its own unit: rounds, US dollars, milliseconds. */
  readonly amount: number;
  /** A value that must fit the schema of the answer. */
  readonly answer: JsonValue;
  /** A value that must fit the schema of the tool; `undefined` where nothing was changed. */
  readonly input: JsonValue | undefined;
  readonly patch: JsonObject;
  readonly value: JsonValue;
  readonly several: readonly Resolution[];
}

interface WayTaking<T extends keyof Taken> {
  readonly action: ResolutionAction;
  /** At a prompt; it means the same everywhere. On a line it is a word as well. */
  readonly key: string;
  /** The words that may begin a line beside the key. */
  readonly words: readonly string[];
  /** The form of a line, for hints; `…` stands for a value. */
  readonly line: string;
  /** The name on the screen, in the product's own words. */
  readonly label: string;
  /** The consequence, told at `?`. */
  readonly help: string;
  /** Something runs by it that would not have run: the whole question must have been on the screen. */
  readonly starts: boolean;
  /** Present where a gate of a workflow offers it: before a node, after it, or both. */
  readonly gate?: 'before' | 'after' | 'both';
  /** The words for a model that reads messages; absent where no model may choose it. */
  readonly forModels?: string;
  readonly takes: T;
  readonly make: (taken: Taken[T]) => Resolution;
  /** The value that an edit at a prompt starts from. */
  readonly startsFrom?: 'state' | 'input' | 'output';
  /** The question of a prompt; where it is absent, nothing that may be left out is asked for. */
  readonly asks?: { readonly prompt: string; readonly hint: string; readonly initial?: string };
  /** Approve later calls of the tool as well. */
  readonly always?: true;
}

/** One way to answer; text from outside never names one. */
export type Way = { [T in keyof Taken]: WayTaking<T> }[keyof Taken];

/** The resolution of an action. */
export type ResolutionOf<A extends ResolutionAction> = {
  readonly [B in ResolutionAction]: Extract<Resolution, { readonly action: B }>;
}[A];

/** A decision in words for afterwards: `you <verb> [the <of> of] <subject>`. */
export interface Done {
  readonly look: 'done' | 'edited' | 'failed' | 'cancelled';
  /** `approved`. */
  readonly verb: string;
  /** The part of the subject that it is about: `state`. */
  readonly of?: string;
  /** The words that were said with it; text of whoever decided. */
  readonly text?: string;
  /** The value that was given: an answer, a patch, another input. */
  readonly value?: JsonValue;
}

/** The changes that a resolution of a workflow makes beside where it goes. */
export interface Edits {
  readonly patch?: JsonObject;
  readonly condition?: JsonObject;
  readonly note?: string;
  readonly output?: { readonly value: JsonValue };
}

/** The facts of an action whichever way it was said. */
interface ActionFacts<A extends ResolutionAction> {
  readonly done: (resolution: ResolutionOf<A>, interrupt: Interrupt) => Done;
  /** Present for what leaves a run on its course. */
  readonly edits?: (resolution: ResolutionOf<A>) => Edits;
}

/** The offer of a way by a kind of interrupt: in words of its own, and only where `only` says. */
export interface Offer {
  readonly way: keyof Ways;
  readonly only?: 'operation' | 'tool' | 'node' | 'before' | 'after';
  readonly line?: string;
  readonly label?: string;
  readonly help?: string;
  /** Offered only where whoever raises the question allows it by name. */
  readonly byRaiser?: true;
}

/** The facts of every action. */
export type Facts = { readonly [A in ResolutionAction]: ActionFacts<A> };

/** Every action, and the two other ways to say `restart`. One that is missing does not compile. */
export type Ways = Readonly<Record<ResolutionAction | 'edit' | 'always', Way>> & Facts;
