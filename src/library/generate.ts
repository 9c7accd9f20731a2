import type { Answer, Clock, Interrupt, OptionTable, Tool } from '../core/index.js';
import { ANYTHING, checkOptions } from '../core/index.js';
import type { GenerateRequest, GenerateResponse } from '../engine/index.js';
import { generate as generateWith } from '../engine/index.js';
import type { Reviewer, ReviewFunction } from '../reviewer/index.js';
import { createReviewerChannel, reviewerOf } from '../reviewer/index.js';
import type { Schema } from '../tools/index.js';
import { compileSchema, toolSet } from '../tools/index.js';
import { systemClock } from './system-clock.js';

/**
 * Options for `generate`: a `GenerateRequest` that accepts a list of tools. The clock defaults to the system
 * clock.
 */
export interface GenerateOptions<Tools extends Iterable<Tool> = Iterable<Tool>> extends Omit<
  GenerateRequest,
  'tools' | 'clock' | 'output' | 'reviewer'
> {
  /**
   * A reviewer that is asked about calls of `reviewable` tools before they are returned as interrupts:
   * `modelReviewer(…)`, or your own function. The run continues only if the reviewer allows all pending
   * calls. Default: none.
   */
  readonly reviewer?: Reviewer | ReviewFunction;
  readonly tools?: Tools;
  /** Clock to use. Default: the system clock. */
  readonly clock?: Clock;
  /** Signal that stops the model and the tools. Default: none. */
  readonly signal?: AbortSignal;
}

/** Adds a required schema for the reply. */
interface WithOutput<Output> {
  /**
   * A zod 4 schema or a JSON Schema. It is sent to the model and used to validate the reply. The output of a
   * tool that ends the run does not have to match it.
   */
  readonly outputSchema: Schema<Output>;
}

/** A tool whose call ends the run, with its output type. */
interface Ending<Output> {
  readonly endsRun?: true;
  respond(interrupt: Interrupt, output: Output): Answer;
}

/** Accepts any value for each option, because `check-request.ts` validates the request. */
const OPTIONS: OptionTable<GenerateOptions & WithOutput<unknown>> = {
  model: ANYTHING,
  runId: ANYTHING,
  clock: ANYTHING,
  messages: ANYTHING,
  prompt: ANYTHING,
  system: ANYTHING,
  tools: ANYTHING,
  context: ANYTHING,
  resume: ANYTHING,
  cancelOpen: ANYTHING,
  reviewer: ANYTHING,
  signing: ANYTHING,
  outputSchema: ANYTHING,
  maxTurns: ANYTHING,
  onToolError: ANYTHING,
  stopWhen: ANYTHING,
  returnToolRequests: ANYTHING,
  onEvent: ANYTHING,
  signal: ANYTHING,
};

type EndingOutputs<One> = One extends Ending<infer Output> ? Output : never;

/** Output type of the tools that end a run. `unknown` if it cannot be determined. */
export type EndingOutput<Tools> =
  Tools extends Iterable<infer One>
    ? [EndingOutputs<One>] extends [never]
      ? unknown
      : EndingOutputs<One>
    : unknown;

/**
 * Runs a model and its tools until the reply is complete or an interrupt is raised. Takes messages and
 * returns messages, without storing anything. To continue, pass the response's `messages` back with `resume`.
 * All answers are validated before anything runs. Invalid arguments are rejected before the run, even from
 * JavaScript: with INVALID_RESUME for `resume`, BAD_TRANSCRIPT for `messages`, and BAD_INPUT or BAD_CONFIG
 * for all others. All of these have the status `INVALID_ARGUMENT` (HTTP 400).
 * @throws HitlError BAD_INPUT, BAD_CONFIG, BAD_TRANSCRIPT, NOTHING_TO_RESUME, INVALID_RESUME, OPEN_INTERRUPT,
 * DUPLICATE_TOOL, TURN_LIMIT, TOOL_FAILED, MODEL_FAILED, BAD_OUTPUT, ABORTED
 */
export async function generate<Output>(
  options: GenerateOptions & WithOutput<Output>,
): Promise<GenerateResponse<Output>>;
export async function generate<Tools extends Iterable<Tool> = Iterable<Tool>>(
  options: GenerateOptions<Tools>,
): Promise<GenerateResponse<EndingOutput<Tools>>>;
export async function generate(
  options: GenerateOptions & Partial<WithOutput<unknown>>,
): Promise<GenerateResponse> {
  checkOptions('`generate`', options, OPTIONS);
  const { tools = [], clock = systemClock, signal, outputSchema, reviewer, ...rest } = options;
  const output = outputSchema === undefined ? {} : { output: compileSchema(outputSchema, '`outputSchema`') };
  const reviewed = reviewer === undefined ? {} : { reviewer: reviewing(reviewerOf(reviewer), clock) };
  const request = { ...rest, ...output, ...reviewed, clock, tools: toolSet(tools) };
  return generateWith(request, signal ?? new AbortController().signal);
}

function reviewing(reviewer: Reviewer, clock: Clock): NonNullable<GenerateRequest['reviewer']> {
  return { name: reviewer.by.name, channel: createReviewerChannel({ reviewer, clock }) };
}
