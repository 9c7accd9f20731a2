import * as z from 'zod';

import type { JsonValue, Resolution, ResolutionAction, ToolDescriptor } from '../core/index.js';
import { isDeeperThan, isJsonObject, MAX_DEPTH } from '../core/index.js';
import { jsonObjectSchema, resolutionSchema } from '../core/schemas.js';

// The model answers by calling one tool: each action is a tool with a schema of its own (N-1), so that providers
// hold it to the schema, and there is no text to parse.

const MAX_WORDS = 2_000;
const words = z.string().trim().min(1).max(MAX_WORDS);

const judged = {
  reason: words.meta({ description: 'Why, in one sentence, for the person to read' }),
  confidence: z.number().min(0).max(1).meta({ description: 'How sure you are that this is what was meant' }),
};

const node = z.string().min(1).max(1_000);

/** What an action takes beside reason and confidence; an action that is not here is not offered to a model (N-7). */
const PARAMETERS = {
  continue: {},
  skip: {},
  pause: {},
  cancel: { reason: words },
  rerun: { guidance: words.meta({ description: 'What the node is told on its next try' }).exactOptional() },
  'go-back': {
    steps: z.int().min(1).max(1_000).exactOptional(),
    to: node.meta({ description: 'A node of the path, in place of `steps`' }).exactOptional(),
  },
  goto: { node },
  'update-state': { patch: jsonObjectSchema },
  'change-condition': { patch: jsonObjectSchema },
  defer: { note: words.meta({ description: 'What is to be done later' }) },
} as const satisfies Partial<Record<ResolutionAction, z.core.$ZodShape>>;

type Choosable = keyof typeof PARAMETERS;

const DESCRIPTIONS: Readonly<Record<Choosable, string>> = {
  continue: 'Go on as planned; nothing is changed',
  skip: 'Leave out the node that is about to run',
  pause: 'Stop here and let a person choose',
  cancel: 'End the run; it can be taken up again later',
  rerun: 'Take back what the node did, and run it again',
  'go-back': 'Take back the last nodes and run again from there. Give either `steps` or `to`',
  goto: 'Go to another node; nothing is taken back',
  'update-state': 'Change values of the state; only the keys that are given',
  'change-condition': 'Set flags that the edges of the workflow look at',
  defer: 'Go on, and note something to be done later',
};

/** The tool for saying that the message is not clear. */
const ASK = 'ask';
const askSchema = z.strictObject({
  question: words.meta({ description: 'One question, to whoever sent the message' }),
  ...judged,
});

/** What a model said by calling a tool. */
export type Said =
  | {
      readonly type: 'action';
      readonly resolution: Resolution;
      readonly reason: string;
      readonly confidence: number;
    }
  | { readonly type: 'ask'; readonly question: string; readonly reason: string; readonly confidence: number }
  /** `why` is one line for the model to do better. */
  | { readonly type: 'bad'; readonly why: string };

function isChoosable(action: ResolutionAction): action is Choosable {
  return Object.hasOwn(PARAMETERS, action);
}

function schemaOf(action: Choosable): z.ZodObject {
  return z.strictObject({ ...PARAMETERS[action], ...judged });
}

/** Those of the actions that a model may choose; approvals and answers are not among them (N-2). */
export function choosable(offered: readonly ResolutionAction[]): readonly ResolutionAction[] {
  return offered.filter(isChoosable);
}

/** The tools that stand for these actions, and the one for asking. */
export function actionTools(offered: readonly ResolutionAction[]): readonly ToolDescriptor[] {
  return [
    ...offered.filter(isChoosable).map((action) => toolOf(action, DESCRIPTIONS[action], schemaOf(action))),
    toolOf(ASK, 'Ask what is meant, where the message fits several actions or none', askSchema),
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

/** Reads the call of a tool. Whatever does not fit exactly is `bad`; there is no repairing. */
export function readCall(name: string, input: JsonValue, offered: readonly ResolutionAction[]): Said {
  if (isDeeperThan(input, MAX_DEPTH)) return { type: 'bad', why: `${name}: nested deeper than ${MAX_DEPTH}` };
  if (name === ASK) {
    const read = askSchema.safeParse(input);
    return read.success ? { type: 'ask', ...read.data } : { type: 'bad', why: issuesOf(name, read.error) };
  }
  const action = offered.filter(isChoosable).find((one) => one === name);
  if (action === undefined) return { type: 'bad', why: `\`${name}\` is not one of the tools` };
  const read = schemaOf(action).safeParse(input);
  if (!read.success) return { type: 'bad', why: issuesOf(name, read.error) };
  const { reason, confidence, ...parameters } = read.data;
  // `cancel` has its reason as a parameter, too.
  const given = action === 'cancel' ? { reason } : parameters;
  const resolution = resolutionSchema.safeParse({ action, ...given });
  if (!resolution.success) return { type: 'bad', why: issuesOf(name, resolution.error) };
  if (typeof reason !== 'string' || typeof confidence !== 'number')
    return { type: 'bad', why: `${name}: reason and confidence are missing` };
  const problem = conflictOf(resolution.data);
  if (problem !== undefined) return { type: 'bad', why: `${name}: ${problem}` };
  return { type: 'action', resolution: resolution.data, reason, confidence };
}

function conflictOf(resolution: Resolution): string | undefined {
  if (resolution.action === 'go-back' && resolution.steps !== undefined && resolution.to !== undefined)
    return 'give either `steps` or `to`';
  const isEdit = resolution.action === 'update-state' || resolution.action === 'change-condition';
  return isEdit && Object.keys(resolution.patch).length === 0 ? 'the patch is empty' : undefined;
}

function issuesOf(name: string, { issues }: z.ZodError): string {
  return issues.map(({ path, message }) => [name, ...path.map(String)].join('.') + `: ${message}`).join('; ');
}
