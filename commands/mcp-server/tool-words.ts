import type { JsonObject } from '../../src/core/index.js';
import { isJsonArray, membersOf } from '../../src/core/index.js';

/** The words of the tools, for the models of others. */
export const TOOL_WORDS = {
  ask_human: {
    title: 'Ask the person',
    description:
      'Asks the person in charge a question and waits for the answer, up to a minute. Where it takes longer the result is {"status":"waiting","id":…}: go on with something else and call check_answer with the id, or end the turn and say what you wait for. The question is kept: it outlives this process, and the person answers it in `hitl inbox`. You cannot answer it yourself.',
  },
  request_approval: {
    title: 'Request an approval',
    description:
      'Asks the person in charge to approve something before you do it: say in `action` exactly what you are about to do, in `facts` what matters, in `diff` what would change. Do it only where the result is {"status":"approved"}; {"status":"declined"} means no, with the reason. The result repeats the action; an approval counts once, and asked for again it is {"status":"used"}. Waits as ask_human does. You cannot approve it yourself.',
  },
  check_answer: {
    title: 'Check an answer',
    description:
      'Says what became of a question: waiting, answered, approved, declined, or used (an approval that was given out before). Waits up to `wait` seconds.',
  },
  list_waiting: {
    title: 'List what waits',
    description: 'Your questions of this connection that the person has not answered yet.',
  },
} as const;

/** The name that another program may give a question. */
const KEY: JsonObject = {
  type: 'string',
  minLength: 1,
  maxLength: 200,
  description:
    'names the question: asked again with the same key and the same arguments, also after a restart, it is the same question, and nothing new is asked; an approval counts once all the same',
};

/** JSON Schema of what another program gives: that of our tool without what we add, and with a key. */
export function offeredSchema({ properties, required = [], ...own }: JsonObject): JsonObject {
  const { from: _from, ...given } = membersOf(properties ?? {});
  const needed = isJsonArray(required) ? required.filter((name) => name !== 'from') : [];
  return { ...own, properties: { ...given, key: KEY }, required: needed };
}

/** JSON Schema of what `check_answer` takes. */
export const CHECK_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'what ask_human or request_approval gave' },
    wait: {
      type: 'number',
      minimum: 0,
      maximum: 600,
      default: 0,
      description: 'how many seconds to wait for an answer; longer than your own time limit is no use',
    },
  },
  required: ['id'],
};

/** JSON Schema of no input. */
export const NO_INPUT: JsonObject = { type: 'object', properties: {} };
