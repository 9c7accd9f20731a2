import type {
  FinishReason,
  Interrupt,
  ModelReply,
  Tool,
  TranscriptMessage,
  TranscriptPart,
  Usage,
} from '../../src/core/index.js';
import type { GenerateRequest, ResumeOptions } from '../../src/engine/index.js';
import type { World } from './world.js';

/** What a tool's body was given, in the order in which bodies were entered. */
export interface Ran {
  readonly tool: string;
  readonly input: unknown;
  readonly resumed?: unknown;
  readonly originalInput?: unknown;
}

/** How a step must end. Members that are absent are not compared. */
export interface Expected {
  readonly finishReason?: FinishReason;
  /** The whole history after the step, without what is ours alone in the metadata. */
  readonly messages?: readonly TranscriptMessage[];
  /** Payloads of the open interrupts. */
  readonly interrupts?: readonly unknown[];
  readonly toolRequests?: number;
  readonly text?: string;
  readonly usage?: Usage;
  /** Whole messages of the stream: role and index. */
  readonly chunks?: readonly (readonly [role: string, index: number])[];
  /** Payloads of the interrupts that the stream told of. */
  readonly streamedInterrupts?: readonly unknown[];
}

/** How a step must fail: `words` all occur in the message. */
export interface ExpectedError {
  readonly error: { readonly code: string; readonly status: string; readonly words?: readonly string[] };
}

type StepOptions = Partial<
  Pick<
    GenerateRequest,
    'cancelOpen' | 'maxTurns' | 'messages' | 'onToolError' | 'prompt' | 'returnToolRequests' | 'runId'
  >
>;

/** What a caller has in hand when it answers. */
export interface Waiting {
  /** The tool requests of the last message. */
  readonly parts: readonly TranscriptPart[];
  /** The interrupts of the response before; empty where the step starts from messages. */
  readonly interrupts: readonly Interrupt[];
}

/** One call of `generate`. Without `prompt` and `messages` it goes on with the messages of the step before. */
export interface Step extends StepOptions {
  /** The answers, made of what waits, as a caller would make them. */
  readonly resume?: (waiting: Waiting) => ResumeOptions;
  readonly expect: Expected | ExpectedError;
  /** Bodies that this step entered. */
  readonly ran?: readonly Ran[];
  /** Model calls that this step made. */
  readonly modelCalls?: number;
  /** The messages of the caller are frozen to the last leaf. */
  readonly freeze?: boolean;
  /** The step goes on from an earlier one, given by its index, as if the steps between had not been. */
  readonly from?: number;
}

/** One conversation of a case. */
export interface Scenario {
  readonly name?: string;
  readonly replies: readonly ModelReply[];
  /** Made anew for every step, as in a new process. Default: no tools. */
  readonly tools?: (world: World) => readonly Tool[];
  readonly steps: readonly Step[];
  /** What the data cannot say. */
  readonly check?: (world: World) => void;
}

export interface ConformanceCase {
  readonly number: number;
  readonly title: string;
  /** Which decision of ours makes the result differ from Genkit's, and from the case's text. */
  readonly decision?: string;
  readonly scenarios: readonly Scenario[];
}
