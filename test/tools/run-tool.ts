import type {
  Interrupt,
  InterruptKind,
  JsonValue,
  ParseResult,
  ResolutionAction,
  Tool,
  ToolContext,
} from '../../src/core/index.js';
import { SCENE } from '../helpers/scene.js';
import { interruptId, makeInterrupt, ROOT_PATH, toolRef } from '../../src/core/index.js';

/** What one run of a tool came to. */
export type Ran =
  | { readonly output: unknown }
  | { readonly interrupt: JsonValue | undefined; readonly options?: { kind?: InterruptKind } };

class Stopped extends Error {
  readonly payload: JsonValue | undefined;
  readonly options: object | undefined;
  constructor(payload: JsonValue | undefined, options: object | undefined) {
    super('interrupted');
    this.payload = payload;
    this.options = options;
  }
}

/** A context as the engine gives it, without an engine. */
export function contextOf(given: Partial<ToolContext> = {}): ToolContext {
  return {
    ...SCENE,
    signal: new AbortController().signal,
    idempotencyKey: 'key-1',
    attempt: 1,
    interrupt(payload, options): never {
      throw new Stopped(payload, options);
    },
    progress() {},
    ...given,
  };
}

/** What a model is told of an input before anybody is asked. */
export async function parsedBy(tool: Tool, input: JsonValue): Promise<ParseResult> {
  const parsed = await tool.parseInput(input);
  if (!parsed.ok) return parsed;
  const problem = await tool.problem?.(parsed.value, new AbortController().signal);
  return problem === undefined ? parsed : { ok: false, issues: [problem] };
}

/** Parses the input and runs the tool, as the engine does. */
export async function runTool(tool: Tool, input: JsonValue, given: Partial<ToolContext> = {}): Promise<Ran> {
  const parsed = await parsedBy(tool, input);
  if (!parsed.ok) throw new Error(parsed.issues.join('; '));
  try {
    return { output: await tool.execute(parsed.value, contextOf(given)) };
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    return { interrupt: error.payload, ...(error.options !== undefined && { options: error.options }) };
  }
}

/** As `runTool`; the output of a multipart tool stands by itself, with its content beside it. */
export async function runParts(...run: Parameters<typeof runTool>): Promise<Ran> {
  const ran = await runTool(...run);
  return 'output' in ran ? (ran.output as { output: unknown }) : ran;
}

/** An open interrupt of a tool. */
export function interruptOf(
  name: string,
  given: {
    input?: JsonValue;
    kind?: InterruptKind;
    allowed?: ResolutionAction[];
    answerSchema?: Interrupt['answerSchema'];
  } = {},
): Interrupt {
  const { input = {}, kind = 'confirmation', allowed, answerSchema } = given;
  return makeInterrupt(
    {
      kind,
      payload: true,
      source: { type: 'tool', ref: toolRef('r1'), name, input, raisedBy: 'tool' },
      ...(allowed && { allowed }),
      ...(answerSchema && { answerSchema }),
    },
    { id: interruptId('i1'), path: ROOT_PATH, raisedAt: '2026-01-01T00:00:00.000Z' },
  );
}
