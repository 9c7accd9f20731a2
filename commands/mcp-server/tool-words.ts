import type { JsonObject } from '../../src/core/index.js';
import { isJsonArray, membersOf } from '../../src/core/index.js';

/** Descriptions of the tools for the models of other programs. */
export const TOOL_WORDS = {
  ask_human: {
    title: 'Ask the user',
    description:
      'Asks the user a question and waits up to a minute for the answer. If it takes longer, the result is {"status":"waiting","id":…}: continue with something else and call check_answer with the id, or end the turn and say what you are waiting for. The question is saved and outlives this process; the user answers it in `hitl inbox`. You cannot answer it yourself.',
  },
  request_approval: {
    title: 'Request an approval',
    description:
      'Asks the user to approve something before you do it. State in `action` exactly what you are about to do, in `facts` the relevant details, and in `diff` what would change. Do it only if the result is {"status":"approved"}; {"status":"declined"} means no, with the reason. The result repeats the action. An approval can be used only once; asking for it again returns {"status":"used"}. Waits like ask_human. You cannot approve it yourself.',
  },
  check_answer: {
    title: 'Check an answer',
    description:
      'Returns the status of a question: waiting, answered, approved, declined, or used (an approval that was already returned). Waits up to `wait` seconds.',
  },
  list_waiting: {
    title: 'List open questions',
    description: 'Lists your questions from this connection that the user has not answered yet.',
  },
} as const;

/** Schema of the idempotency key that another program may set for a question. */
const KEY: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description:
    'idempotency key: asking again with the same key and arguments, even after a restart, returns the same question; an approval can still be used only once',
};

/**
 * Properties of hitl's own tools that are not offered to other programs' models: the asker, the approvers,
 * the timeout and forms.
 */
const NOT_OFFERED: readonly string[] = ['from', 'approvers', 'timeout', 'onTimeout', 'form'];

/**
 * Returns the JSON Schema of a tool for other programs. It omits the properties that a model may not set, and
 * adds a key.
 */
export function offeredSchema({ properties, required = [], ...own }: JsonObject): JsonObject {
  const given = Object.fromEntries(
    Object.entries(membersOf(properties ?? {})).filter(([name]) => !NOT_OFFERED.includes(name)),
  );
  const needed = isJsonArray(required) ? required.filter((name) => name !== 'from') : [];
  return { ...own, properties: { ...given, key: KEY }, required: needed };
}

/** JSON Schema for the input of `check_answer`. */
export const CHECK_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'the id that ask_human or request_approval returned' },
    wait: {
      type: 'number',
      minimum: 0,
      maximum: 600,
      default: 0,
      description: 'seconds to wait for an answer; must be shorter than your own time limit',
    },
  },
  required: ['id'],
};

/** JSON Schema for empty input. */
export const NO_INPUT: JsonObject = { type: 'object', properties: {} };
