import type { Answer, Clock, Interrupt, Tool } from '../core/index.js';
import type { GenerateRequest, GenerateResponse } from '../engine/index.js';
import { generate as generateWith } from '../engine/index.js';
import { toolSet } from '../tools/index.js';
import { systemClock } from './system-clock.js';

/** A `GenerateRequest` with a list of tools, and with the machine's clock where none is given. */
export interface GenerateOptions<Tools extends Iterable<Tool> = Iterable<Tool>> extends Omit<
  GenerateRequest,
  'tools' | 'clock'
> {
  readonly tools?: Tools;
  /** Default: the clock of this machine. */
  readonly clock?: Clock;
  /** Stops the model and the tools. Default: never. */
  readonly signal?: AbortSignal;
}

/** A tool whose call ends the run, with the type of what it returns. */
interface Ending<Output> {
  readonly endsRun?: true;
  respond(interrupt: Interrupt, output: Output): Answer;
}

type EndingOutputs<One> = One extends Ending<infer Output> ? Output : never;

/** The type of what the tools return that end a run; `unknown` where none is known to. */
export type EndingOutput<Tools> =
  Tools extends Iterable<infer One>
    ? [EndingOutputs<One>] extends [never]
      ? unknown
      : EndingOutputs<One>
    : unknown;

/**
 * Runs a model and its tools to an end or to an interrupt: messages in, messages out, nothing kept.
 * Pass `messages` of an interrupted response back with `resume` to go on; all answers are checked before anything runs.
 * What is not of its type is refused before anything happens, also from JavaScript and as JSON of others: with
 * INVALID_RESUME where it is `resume`, BAD_TRANSCRIPT where it is `messages`, BAD_INPUT or BAD_CONFIG for the rest. All of
 * these have the status `INVALID_ARGUMENT`, which a server answers with 400.
 * @throws HitlError BAD_INPUT, BAD_CONFIG, BAD_TRANSCRIPT, NOTHING_TO_RESUME, INVALID_RESUME, OPEN_INTERRUPT,
 * DUPLICATE_TOOL, TURN_LIMIT, TOOL_FAILED, MODEL_FAILED, ABORTED
 */
export async function generate<Tools extends Iterable<Tool> = Iterable<Tool>>(
  options: GenerateOptions<Tools>,
): Promise<GenerateResponse<EndingOutput<Tools>>>;
export async function generate({
  tools = [],
  clock = systemClock,
  signal,
  ...rest
}: GenerateOptions): Promise<GenerateResponse> {
  return generateWith({ ...rest, clock, tools: toolSet(tools) }, signal ?? new AbortController().signal);
}
