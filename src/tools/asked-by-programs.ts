import * as z from 'zod/mini';

import type { ApprovalPolicy, Deadline, JsonObject, Tool } from '../core/index.js';
import { millisecondsOf, present, splitApproval } from '../core/index.js';
import { answerSchemaOf, payloadOf, question } from './builtin/index.js';
import { defineTool } from './define-tool.js';
import { secretIn } from './secret-in-form.js';

/** The source displayed for tools that other programs use to ask questions. */
const ASKED = 'another program';

/** Warning shown with all details that only the other program supplied. */
const UNVERIFIED = 'Reported by the other program; not verified by hitl';

/** The asking program, as it identifies itself. */
const From = z.string().check(z.minLength(1), z.maxLength(200));

const facts = () =>
  z.record(z.string().check(z.minLength(1), z.maxLength(80)), z.string().check(z.maxLength(2_000)));
const diff = () => z.string().check(z.maxLength(200_000));

/** The required approvers and the deadline. A timeout never approves a request. */
const terms = () => ({
  approvers: z.optional(
    z.string().check(
      z.minLength(1),
      z.maxLength(1_000),
      z.superRefine((text, context) => {
        const { problem } = splitApproval(asRule(text));
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
      }),
    ),
  ),
  timeout: z.optional(
    z.string().check(
      z.maxLength(20),
      z.refine(
        (text) => millisecondsOf(text) !== undefined,
        'must be a duration of at most 100 years, such as 90s, 30m or 2d',
      ),
    ),
  ),
  onTimeout: z.optional(z.enum(['reject', 'cancel'])),
});

interface Terms {
  readonly approvers?: string | undefined;
  readonly timeout?: string | undefined;
  readonly onTimeout?: 'reject' | 'cancel' | undefined;
}

/** Returns approvers as a sentence in the form that rules use, with `needs`. */
function asRule(approvers: string): string {
  return `it needs ${approvers}`;
}

function approversIn({ approvers }: Terms): { readonly approvers?: ApprovalPolicy } {
  const read = approvers === undefined ? undefined : splitApproval(asRule(approvers)).approvers;
  return read === undefined ? {} : { approvers: read };
}

function deadlineIn({ timeout, onTimeout }: Terms): Deadline {
  return present({ timeout, onTimeout });
}

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most));

/**
 * A form field: a single value, or several values from a list. References, nesting and patterns are not
 * allowed.
 */
const formField = () => {
  const words = { title: z.optional(text(200)), description: z.optional(text(1_000)) };
  const listed = () => z.array(text(200)).check(z.minLength(1), z.maxLength(100));
  return z.discriminatedUnion('type', [
    z.strictObject({
      ...{ ...words, type: z.literal('string'), enum: z.optional(listed()) },
      ...{ minLength: z.optional(z.int()), maxLength: z.optional(z.int()) },
    }),
    z.strictObject({
      ...{ ...words, type: z.enum(['number', 'integer']) },
      ...{ minimum: z.optional(z.number()), maximum: z.optional(z.number()) },
    }),
    z.strictObject({ ...words, type: z.literal('boolean') }),
    z.strictObject({
      ...{ ...words, type: z.literal('array') },
      items: z.strictObject({ type: z.literal('string'), enum: listed() }),
    }),
  ]);
};

/** The accepted JSON Schema for a form from another program: an object with flat fields. */
const form = () =>
  z.strictObject({
    $schema: z.optional(text(200)),
    type: z.literal('object'),
    title: z.optional(text(200)),
    properties: z
      .record(z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/)), formField())
      .check(z.refine((fields) => Object.keys(fields).length <= 50, 'a form has at most 50 fields')),
    required: z.optional(z.array(text(64)).check(z.maxLength(50))),
    additionalProperties: z.optional(z.literal(false)),
  });

/** A question from another program. It must not ask for a secret. */
const AskHuman = z
  .safeExtend(question(), {
    ...{ from: From, question: text(4_000) },
    ...{ form: z.optional(form()), facts: z.optional(facts()), diff: z.optional(diff()), ...terms() },
  })
  .check(
    z.refine(
      ({ fields }) => fields?.every(({ type }) => type !== 'secret') !== false,
      'another program’s question can never ask for a secret',
    ),
    z.superRefine(({ form: asked, question: about, choices, fields }, context) => {
      if (asked === undefined) return;
      const secret = secretIn(plain(asked), about);
      if (secret !== undefined)
        context.addIssue({
          code: 'custom',
          message: `asks for ${secret}; secrets are never typed into a form`,
        });
      if (choices !== undefined || fields !== undefined)
        context.addIssue({ code: 'custom', message: 'pass only one of `form`, `choices` and `fields`' });
      const { properties, required = [] } = asked;
      const odd = required.find((name) => !Object.hasOwn(properties, name));
      if (odd !== undefined)
        context.addIssue({ code: 'custom', message: `the form requires an unknown field \`${odd}\`` });
    }),
  );

/** Returns a parsed form as JSON. */
function plain(asked: z.infer<ReturnType<typeof form>>): JsonObject {
  const { properties, required, title } = asked;
  return {
    type: 'object',
    ...(title !== undefined && { title }),
    properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, present(field)])),
    ...(required !== undefined && { required }),
    additionalProperties: false,
  };
}

/**
 * Creates a tool that asks the user a question from another program. The session ends when the question is
 * answered.
 */
export function askHuman(): Tool {
  return defineTool(
    {
      name: 'ask_human',
      description: 'Asks the user a question on behalf of another program.',
      input: AskHuman,
      effect: 'none',
      endsRun: true,
      origin: ASKED,
      title: ({ from, question }) => `${from} asks: ${question}`,
    },
    ({ from, form: asked, facts: told, diff: change, ...question }, context) => {
      const isReported = told !== undefined || change !== undefined;
      return context.interrupt(
        {
          ...payloadOf(question),
          ...present({ facts: told, diff: change }),
          ...(isReported && { warnings: [UNVERIFIED] }),
          from,
        },
        {
          kind: 'question',
          answerSchema: asked === undefined ? answerSchemaOf(question) : plain(asked),
          ...approversIn(question),
          ...deadlineIn(question),
        },
      );
    },
  );
}

const Request = z.object({
  action: text(2_000),
  facts: z.optional(facts()),
  diff: z.optional(diff()),
  from: From,
  ...terms(),
});

/**
 * Creates a tool that asks the user to approve an action of another program. The description of the action is
 * unverified, because hitl does not run or check the action.
 */
export function requestApproval(): Tool {
  return defineTool(
    {
      name: 'request_approval',
      description: 'Asks the user to approve what another program is about to do.',
      input: Request,
      effect: 'none',
      endsRun: true,
      origin: ASKED,
      title: ({ from, action }) =>
        `${from} ${action.trimEnd().endsWith('?') ? 'asks' : 'wants to'}: ${action}`,
      approval: (request) => ({
        warnings: [UNVERIFIED],
        allowed: ['approve', 'reject'],
        ...approversIn(request),
        deadline: deadlineIn(request),
      }),
    },
    () => ({ approved: true }),
  );
}
