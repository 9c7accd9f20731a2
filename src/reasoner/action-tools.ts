import * as z from 'zod';

import type { JsonValue, Resolution, ResolutionAction, Taken, ToolDescriptor } from '../core/index.js';
import {
  isDeeperThan,
  isJsonObject,
  isResolution,
  MAX_DEPTH,
  resolutionProblem,
  WAYS,
} from '../core/index.js';
import { jsonObjectSchema } from '../core/told/schemas.js';

// The model answers by calling one tool: each action is a tool with a schema of its own (N-1), so that providers
// hold it to the schema, and there is no text to parse.

const MAX_WORDS = 2_000;
const words = z.string().trim().min(1).max(MAX_WORDS);

const judged = {
  reason: words.meta({ description: 'The reason, in one sentence, to show the user' }),
  confidence: z.number().min(0).max(1).meta({ description: 'How sure you are that the sender meant this' }),
};

const node = z.string().min(1).max(1_000);

/**
 * Parameters that a model can pass with an action. Actions with other parameters are not offered to models
 * (N-7).
 */
const PARAMETERS = {
  nothing: {},
  reason: { reason: words },
  guidance: {
    guidance: words.meta({ description: 'Instructions for the node on its next try' }).exactOptional(),
  },
  steps: {
    steps: z.int().min(1).max(1_000).exactOptional(),
    to: node.meta({ description: 'A node on the path, instead of `steps`' }).exactOptional(),
  },
  node: { node },
  patch: { patch: jsonObjectSchema },
  note: { note: words.meta({ description: 'What to do later' }) },
} as const satisfies Partial<Record<keyof Taken, z.core.$ZodShape>>;

/** An action available to a model. */
interface Choosable {
  readonly action: ResolutionAction;
  readonly description: string;
  readonly schema: z.ZodObject;
}

function isGivable(takes: keyof Taken): takes is keyof typeof PARAMETERS {
  return Object.hasOwn(PARAMETERS, takes);
}

function choices(offered: readonly ResolutionAction[]): readonly Choosable[] {
  return offered.flatMap((action) => {
    const { forModels: description, takes } = WAYS[action];
    if (description === undefined || !isGivable(takes)) return [];
    return [{ action, description, schema: z.strictObject({ ...PARAMETERS[takes], ...judged }) }];
  });
}

/** Name of the tool that asks the user to clarify the message. */
const ASK = 'ask';
const askSchema = z.strictObject({
  question: words.meta({ description: 'One question for the sender of the message' }),
  ...judged,
});

/** The result of parsing a model's tool call. */
export type Said =
  | {
      readonly type: 'action';
      readonly resolution: Resolution;
      readonly reason: string;
      readonly confidence: number;
    }
  | { readonly type: 'ask'; readonly question: string; readonly reason: string; readonly confidence: number }
  /** `why` is a one-line explanation that helps the model correct itself. */
  | { readonly type: 'bad'; readonly why: string };

/** Returns the actions that a model may choose. Approvals and answers are never included (N-2). */
export function choosable(offered: readonly ResolutionAction[]): readonly ResolutionAction[] {
  return choices(offered).map(({ action }) => action);
}

/** Returns one tool per action, and a tool for asking the user. */
export function actionTools(offered: readonly ResolutionAction[]): readonly ToolDescriptor[] {
  return [
    ...choices(offered).map(({ action, description, schema }) => toolOf(action, description, schema)),
    toolOf(ASK, 'Ask what the sender means if the message fits several actions or none', askSchema),
  ];
}

function toolOf(name: string, description: string, schema: z.ZodType): ToolDescriptor {
  const { $schema: _dialect, ...inputSchema } = z.toJSONSchema(schema, { io: 'input' });
  if (!isJsonSchema(inputSchema)) throw new TypeError(`no JSON Schema for \`${name}\``);
  return { name, description, inputSchema, effect: 'none', origin: 'built in', restartable: false };
}

function isJsonSchema(value: unknown): value is ToolDescriptor['inputSchema'] {
  return isJsonObject(value);
}

/** Parses a tool call. An invalid call is not repaired but returned as `bad`. */
export function readCall(name: string, input: JsonValue, offered: readonly ResolutionAction[]): Said {
  if (isDeeperThan(input, MAX_DEPTH)) return { type: 'bad', why: `${name}: nested deeper than ${MAX_DEPTH}` };
  if (name === ASK) {
    const read = askSchema.safeParse(input);
    return read.success ? { type: 'ask', ...read.data } : { type: 'bad', why: issuesOf(name, read.error) };
  }
  const chosen = choices(offered).find(({ action }) => action === name);
  if (chosen === undefined) return { type: 'bad', why: `\`${name}\` is not one of the tools` };
  const { action, schema } = chosen;
  const read = schema.safeParse(input);
  if (!read.success) return { type: 'bad', why: issuesOf(name, read.error) };
  const { reason, confidence, ...parameters } = read.data;
  // `cancel` has its reason as a parameter, too.
  const given = action === 'cancel' ? { reason } : parameters;
  const resolution: unknown = { action, ...given };
  if (!isResolution(resolution))
    return { type: 'bad', why: `${name}: ${resolutionProblem(resolution) ?? ''}` };
  if (typeof reason !== 'string' || typeof confidence !== 'number')
    return { type: 'bad', why: `${name}: reason and confidence are missing` };
  const problem = conflictOf(resolution);
  if (problem !== undefined) return { type: 'bad', why: `${name}: ${problem}` };
  return { type: 'action', resolution, reason, confidence };
}

function conflictOf(resolution: Resolution): string | undefined {
  if (resolution.action === 'go-back' && resolution.steps !== undefined && resolution.to !== undefined)
    return 'pass either `steps` or `to`';
  return 'patch' in resolution && Object.keys(resolution.patch).length === 0
    ? 'the patch is empty'
    : undefined;
}

function issuesOf(name: string, { issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [name, ...path.map(String)].join('.') + `: ${message}`).join('; ');
}
