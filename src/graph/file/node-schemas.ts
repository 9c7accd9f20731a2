import * as z from 'zod';

import type { Model, TimeoutOutcome } from '../../core/index.js';
import { durationMs, HitlError, messageActions, messageOf, millisecondsOf } from '../../core/index.js';
import { jsonObjectSchema, jsonValueSchema } from '../../core/told/schemas.js';
import { parseCondition } from '../expression/expression-parse.js';
import { BUILTIN_REDUCERS } from '../state/reducers.js';
import type { GraphParts } from './graph-parts.js';
import { meantName } from './meant-name.js';
import { parseStateExpression, parseTemplate } from './template.js';

/** The parts that the names in a file refer to. */
export interface KnownParts {
  readonly parts: GraphParts;
  /** Filled with the models that the file refers to. */
  readonly models: Map<string, Model>;
}

const template = jsonValueSchema.superRefine(reads(parseTemplate));
/** An object whose strings may contain expressions. */
export const objectTemplate = jsonObjectSchema.superRefine(reads(parseTemplate));
const text = z.string().superRefine(reads(parseTemplate));
const duration = z.string().refine((text) => durationMs(text) !== undefined, {
  message: 'must be a duration such as 90s, 30m or 2h',
});
const pause = z.union([z.string(), z.number()]).refine((given) => millisecondsOf(given) !== undefined, {
  message: 'must be a duration such as 500ms, 90s or 2h, or a number of milliseconds',
});
const condition = z.string().superRefine(reads(parseCondition));
/** An expression that reads the state. */
export const expression = z.string().superRefine(reads(parseStateExpression));

const approvers = z.strictObject({
  need: z.int().min(1).max(20).describe('Number of required approvals').exactOptional(),
  from: z.array(z.string()).min(1).describe('People (`ann`) and groups (`@ops`)').exactOptional(),
  notRequester: z
    .boolean()
    .describe(
      '`true`: requesters cannot approve. `false`: requesters can approve, even if they asked through an API',
    )
    .exactOptional(),
  issuers: z
    .array(z.string())
    .min(1)
    .describe('Accepted issuers: `local`, `tokens`, `slack`, or an issuer’s URL')
    .exactOptional(),
  over: z
    .string()
    .min(1)
    .describe('The property of the answer that votes must agree on. Default: the whole answer')
    .exactOptional(),
  veto: z
    .union([z.string(), z.number(), z.boolean()])
    .describe('A single vote with this value decides immediately')
    .exactOptional(),
});
const outcome: z.ZodType<TimeoutOutcome> = z
  .union([
    z.enum(['reject', 'cancel']),
    z.strictObject({ value: jsonValueSchema }),
    z.strictObject({
      get escalate() {
        return z.strictObject({
          to: z.string().min(1).describe('Who to escalate to'),
          prompt: z.string().exactOptional(),
          timeout: duration.exactOptional(),
          onTimeout: outcome.exactOptional(),
          approvers: approvers.exactOptional(),
        });
      },
    }),
  ])
  .describe('The outcome of a question that is not answered in time; never an approval');
/** A question's deadline and approvers. */
const deadline = {
  approvers: approvers.describe('The required approvers and their number').exactOptional(),
  timeout: duration.describe('How long people have to answer: 90s, 30m, 2h').exactOptional(),
  onTimeout: outcome.exactOptional(),
  approvalLasts: duration
    .describe('How long an approval is valid: 15m. Default: until the timeout')
    .exactOptional(),
};

const gate = strict({
  before: z.boolean().exactOptional(),
  after: z.boolean().exactOptional(),
  when: condition.describe('Asks only if this is true').exactOptional(),
  prompt: z.string().exactOptional(),
  ...deadline,
}).superRefine(
  mustHold(
    ({ before, after }) => before === true || after === true,
    'a gate must have `before`, `after` or both',
  ),
);
const actions = z.union([z.literal('*'), z.array(z.enum(messageActions()))]).exactOptional();
/** The schema of a node's message rules. */
export const steer = strict({
  allow: actions.describe('Done at once'),
  confirm: actions.describe('Done after a person approves'),
})
  .describe('Actions that messages may request; actions in neither list are refused')
  .exactOptional();
/** Properties that all nodes can have. */
export const common = {
  steer,
  gate: gate.describe('Stops and asks a person').exactOptional(),
  onError: z.enum(['fail', 'ask', 'continue']).exactOptional(),
};
/** The schema of a node's retry options. */
export const retry = strict({
  attempts: z.int().min(1),
  delay: pause.exactOptional(),
  factor: z.number().min(1).exactOptional(),
  cap: pause.exactOptional(),
  jitter: z.number().min(0).max(1).exactOptional(),
}).exactOptional();
const outputKey = z
  .union([z.string().min(1), z.literal(false)])
  .describe('The state key for the output. Default: the node name')
  .exactOptional();
const checks = {
  inputSchema: jsonObjectSchema
    .describe('JSON Schema of the state that the node starts with')
    .exactOptional(),
  outputSchema: jsonObjectSchema.describe('JSON Schema of the output').exactOptional(),
};
/** Properties of nodes that have an output of their own. */
export const whole = { ...common, ...checks, retry, outputKey };

/** The schema of an edge in a graph file. */
export const edgeSchema = strict({
  from: z.string(),
  to: z.string(),
  when: condition.exactOptional(),
  priority: z.int().min(0).describe('Higher priorities are checked first; 0 is the fallback').exactOptional(),
  weight: z.number().min(0).exactOptional(),
}).superRefine(
  mustHold(
    ({ when, priority }) => when === undefined || priority !== 0,
    'priority 0 is the fallback, which always matches, so it cannot have `when`',
  ),
);

/** Returns the schemas of nodes without inner nodes. */
export function simpleNodes(leaves: ReturnType<typeof leavesFor>) {
  return [
    strict({
      kind: z.literal('function'),
      run: leaves.function,
      effect: z.enum(['none', 'idempotent', 'once']).exactOptional(),
      timeout: pause.describe('Time limit for the body: 30s, or milliseconds').exactOptional(),
      ...whole,
    }),
    strict({
      kind: z.literal('set'),
      set: objectTemplate.describe('Values for state keys').exactOptional(),
      unset: z.array(z.string().min(1)).describe('Keys to remove').exactOptional(),
      ...common,
    }),
    strict({
      kind: z.literal('agent'),
      agent: leaves.agent.exactOptional(),
      model: leaves.model.exactOptional(),
      tools: z.array(leaves.tool).exactOptional(),
      system: z.string().exactOptional(),
      effort: z.enum(['low', 'medium', 'high', 'max']).exactOptional(),
      thinking: z.enum(['on', 'off']).exactOptional(),
      prompt: text.describe('The user message. Default: the state key `input`').exactOptional(),
      limits: strict({
        maxTurns: z.int().min(1).exactOptional(),
        maxCostUsd: z.number().positive().exactOptional(),
        maxTimeMs: z.number().positive().exactOptional(),
      }).exactOptional(),
      ...whole,
    }),
    strict({ kind: z.literal('tool'), tool: leaves.tool, input: template.exactOptional(), ...whole }),
    strict({
      kind: z.literal('human'),
      prompt: text,
      schema: jsonObjectSchema.describe('JSON Schema of the answer').exactOptional(),
      payload: template.exactOptional(),
      ...deadline,
      ...common,
      ...checks,
      outputKey,
    }),
  ] as const;
}

/** A node without inner nodes. */
export type SimpleNode = ReturnType<typeof simpleNodes>[number];

/** Creates a check that involves several properties. */
export function mustHold<Value>(holds: (value: Value) => boolean, message: string) {
  return (value: Value, context: z.core.$RefinementCtx<Value>): void => {
    // What is wrong already would only be said again.
    if (context.issues.length === 0 && !holds(value)) context.addIssue({ code: 'custom', message });
  };
}

/** Creates a check that passes if a parser accepts the value. */
function reads<Value>(parse: (value: Value) => unknown) {
  return (value: Value, context: z.core.$RefinementCtx<Value>): void => {
    try {
      parse(value);
    } catch (thrown) {
      context.addIssue({ code: 'custom', message: messageOf(thrown) });
    }
  };
}

/** Creates the schemas for names. If parts are given, the names must exist in them. */
export function leavesFor(known: KnownParts | undefined) {
  const parts = known?.parts;
  const named = (what: string, names: readonly string[]) =>
    z.string().superRefine((name, context) => {
      if (parts === undefined || names.includes(name)) return;
      context.addIssue({
        code: 'custom',
        message: `unknown ${what} \`${name}\`${meantName(name, names)}`,
      });
    });
  return {
    function: named('function', Object.keys(parts?.functions ?? {})).describe('The name of a function'),
    agent: named('agent', Object.keys(parts?.agents ?? {})).describe('The name of an agent'),
    tool: named(
      'tool',
      (parts?.tools?.descriptors ?? []).map(({ name }) => name),
    ).describe('The name of a tool'),
    combiner: named('combiner', Object.keys(parts?.combiners ?? {})).describe('The name of a combiner'),
    graph: named('graph', Object.keys(parts?.graphs ?? {})).describe('The name of a graph'),
    reducer: named('reducer', [...BUILTIN_REDUCERS, ...Object.keys(parts?.reducers ?? {})]).describe(
      'overwrite, append, sum, merge, or the name of a reducer',
    ),
    model: z
      .string()
      .min(1)
      .superRefine(async (id, context) => {
        if (known === undefined || known.models.has(id)) return;
        try {
          known.models.set(id, await modelOf(known.parts, id));
        } catch (thrown) {
          context.addIssue({ code: 'custom', message: messageOf(thrown) });
        }
      }),
  };
}

async function modelOf({ model }: GraphParts, id: string): Promise<Model> {
  if (model === undefined)
    throw new HitlError('BAD_GRAPH', `unknown model \`${id}\`; no models were provided`);
  return await model(id);
}

/**
 * Creates an object schema that rejects unknown properties, with one message for each, in the same order as
 * the keys of the issue.
 */
export function strict<Shape extends z.ZodRawShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `unknown field \`${key}\`${meantName(key, known)}`).join('\n')
        : undefined,
  });
}
