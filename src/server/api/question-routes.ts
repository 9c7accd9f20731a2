import { randomUUID } from 'node:crypto';
import type { SessionId } from '../../core/index.js';
import { HitlError, isSessionId } from '../../core/index.js';
import { fitting, jsonOf } from '../body.js';
import { actorOf } from '../doors/visitor.js';
import { jsonResponse } from '../json.js';
import type { ApiRoute, Call } from '../route.js';
import { MOST_BYTES } from '../route.js';
import type { ServedQuestions } from '../running/served-questions.js';
import * as schemas from './schemas.js';

const ERROR = schemas.errorDocumentSchema;
/** Maximum length of a program's name shown with its question, in characters. */
const LONGEST_NAME = 200;

/** Returns the routes with which programs ask people questions. */
export function questionRoutes(questions: ServedQuestions): readonly ApiRoute[] {
  return [
    {
      ...{ method: 'POST', kind: 'json', shows: 'header', mostBytes: MOST_BYTES },
      path: '/v1/questions',
      needs: 'begin',
      summary: 'Asks a person a question, or returns the earlier question with the same key',
      headers: {
        'Idempotency-Key': 'Idempotency key; asking again with the same key returns the same question',
      },
      body: schemas.questionRequestSchema,
      responses: {
        201: { says: 'Asked', schema: schemas.questionOutcomeSchema },
        400: { says: 'Invalid request, or the key belongs to a different question', schema: ERROR },
        403: { says: 'The token does not have the required role', schema: ERROR },
      },
      handle: async (call) => {
        const key = keyOf(call) ?? randomUUID();
        const asked = await jsonOf(call, schemas.questionRequestSchema);
        const { visitor } = call;
        const name = visitor.name.slice(0, LONGEST_NAME);
        const outcome = await questions.ask(asked, { name, by: actorOf(visitor, 'web'), key });
        const headers = { location: `/v1/questions/${outcome.id}` };
        return jsonResponse(outcome, { status: 201, headers });
      },
    },
    {
      ...{ method: 'GET', kind: 'json', needs: 'any role', waits: true },
      path: '/v1/questions/:id',
      summary: 'Returns the outcome of a question; waits for the answer',
      query: schemas.questionQuerySchema,
      responses: {
        200: {
          says: 'The question’s status, with its answer if there is one',
          schema: schemas.questionOutcomeSchema,
        },
        400: { says: 'Invalid request', schema: ERROR },
        404: { says: 'Not found', schema: ERROR },
      },
      handle: async (call) => {
        const { wait } = fitting(Object.fromEntries(call.url.searchParams), schemas.questionQuerySchema);
        const id = await questionOf(call);
        const isAsker = call.request.method === 'GET' && (await call.sight.asked(id));
        const how = { ms: wait * 1_000, isAsker };
        return jsonResponse(await questions.outcome(id, how, call.request.signal));
      },
    },
  ];
}

function keyOf({ request }: Call): string | undefined {
  const key = request.headers.get('idempotency-key') ?? undefined;
  if (key === undefined || /^[\w.:-]{1,128}$/u.test(key)) return key;
  throw new HitlError(
    'BAD_INPUT',
    'Idempotency-Key must be 1 to 128 characters: letters, digits, `.`, `:`, `-` and `_`',
  );
}

/**
 * Returns the session of a question.
 * @throws HitlError SESSION_NOT_FOUND, even if the session exists but is not visible to the caller
 */
async function questionOf({ param, sight }: Call): Promise<SessionId> {
  const id = param('id');
  if (isSessionId(id) && (await sight.sees(id))) return id;
  throw new HitlError('SESSION_NOT_FOUND', 'question not found');
}
