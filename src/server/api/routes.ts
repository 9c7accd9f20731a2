import type { SessionId } from '../../core/index.js';
import { isSessionId, openInterrupts, transcriptMessages, withoutKept, HitlError } from '../../core/index.js';
import type { AnswerContext } from '../../human/index.js';
import { oneLineOf } from '../../human/index.js';
import { toResponse } from '../../web/index.js';
import type { TakenAnswer } from '../answering/take-answer.js';
import { readGiven } from '../answering/take-answer.js';
import { fitting, jsonOf } from '../body.js';
import { leaving } from '../changes.js';
import { actorOf } from '../doors/visitor.js';
import { jsonResponse, refusal } from '../json.js';
import type { ApiRoute, Call } from '../route.js';
import { MOST_BYTES } from '../route.js';
import type { ServedSessions } from '../running/served-sessions.js';
import type { ServedQuestions } from '../running/served-questions.js';
import { questionRoutes } from './question-routes.js';
import * as schemas from './schemas.js';
import { changeStream } from './stream.js';

const NOT_FOUND = { says: 'Not found', schema: schemas.errorDocumentSchema };
const NO_ROLE = { says: 'The token does not have the required role', schema: schemas.errorDocumentSchema };
const MISFIT = { says: 'Invalid request', schema: schemas.errorDocumentSchema };

const READS = { method: 'GET', kind: 'json', needs: 'any role' } as const;
const WRITES = { method: 'POST', kind: 'json', shows: 'header', mostBytes: MOST_BYTES } as const;

/** Returns the API routes for programs. */
export function apiRoutes(
  served?: Pick<ServedSessions, 'begin'>,
  questions?: ServedQuestions,
): readonly ApiRoute[] {
  return [
    ...readingRoutes(),
    ...streamRoutes(),
    ...(questions === undefined ? [] : questionRoutes(questions)),
    ...(served === undefined ? [] : [beginRoute(served)]),
    ...writingRoutes(),
  ];
}

/** Retry delay when all slots are taken, in seconds. */
const AGAIN_S = 5;

/** Returns the response sent if the server is already running the maximum number of sessions. */
export function busy(): Response {
  return refusal(503, 'BUSY', 'too many running sessions', {
    hint: 'nothing was started; retry later',
    headers: { 'retry-after': `${AGAIN_S}` },
  });
}

function beginRoute(served: Pick<ServedSessions, 'begin'>): ApiRoute {
  return {
    ...WRITES,
    path: '/v1/sessions',
    needs: 'begin',
    summary: 'Starts a session of the server’s agent with a first message',
    body: schemas.beginRequestSchema,
    responses: {
      201: { says: 'Started; its questions are in `/v1/waiting`', schema: schemas.sessionBegunSchema },
      400: MISFIT,
      403: NO_ROLE,
      503: {
        says: 'Too many running sessions: nothing was started; `Retry-After` says when to retry',
        schema: schemas.errorDocumentSchema,
      },
    },
    handle: async (call) => {
      const { text, title } = await jsonOf(call, schemas.beginRequestSchema);
      const by = actorOf(call.visitor, 'web');
      const id = await served.begin({ text, by, ...(title !== undefined && { title }) });
      if (id === undefined) return busy();
      return jsonResponse({ id }, { status: 201, headers: { location: `/v1/sessions/${id}` } });
    },
  };
}

function readingRoutes(): readonly ApiRoute[] {
  return [
    {
      ...READS,
      path: '/v1/waiting',
      summary: 'Lists open questions that the token may see, oldest first',
      query: schemas.waitingQuerySchema,
      responses: { 200: { says: 'A page of questions', schema: schemas.waitingPageSchema }, 400: MISFIT },
      handle: async ({ url, sight }) => {
        const query = fitting(Object.fromEntries(url.searchParams), schemas.waitingQuerySchema);
        const { all, ...wanted } = query;
        const { items, ...more } = await sight.waiting({ ...wanted, all: all === 'true' });
        return jsonResponse({
          items: items.map((item) => ({
            ...item,
            asked: oneLineOf(item.interrupt),
            interrupt: withoutKept(item.interrupt),
          })),
          ...more,
        });
      },
    },
    {
      ...READS,
      path: '/v1/sessions',
      summary: 'Lists sessions that the token may see, newest first',
      query: schemas.sessionsQuerySchema,
      responses: { 200: { says: 'A page of sessions', schema: schemas.sessionsPageSchema }, 400: MISFIT },
      handle: async ({ url, sight }) => {
        const query = fitting(Object.fromEntries(url.searchParams), schemas.sessionsQuerySchema);
        return jsonResponse(await sight.sessions(query));
      },
    },
    {
      ...READS,
      path: '/v1/sessions/:id',
      summary: 'Returns a session: its open questions and messages',
      responses: { 200: { says: 'The session', schema: schemas.sessionSchema }, 404: NOT_FOUND },
      handle: async (call) => {
        const { id, state, createdAt, updatedAt } = await call.sight.session(sessionOf(call));
        return jsonResponse({
          id,
          title: state.title ?? '',
          createdAt,
          updatedAt,
          open: openInterrupts(state).map(withoutKept),
          messages: transcriptMessages(state),
        });
      },
    },
  ];
}

function streamRoutes(): readonly ApiRoute[] {
  const stream = 'text/event-stream';
  return [
    {
      ...READS,
      path: '/v1/sessions/:id/events',
      isStream: true,
      summary: 'Streams the events of a session, from the first or after `Last-Event-ID`',
      headers: { 'Last-Event-ID': 'Number of the last known event' },
      responses: {
        200: { says: 'Events, one per message', schema: schemas.wireEventSchema, type: stream },
        404: NOT_FOUND,
      },
      handle: async (call) => {
        const id = sessionOf(call);
        const after = Number(
          call.request.headers.get('last-event-id') ?? call.url.searchParams.get('after') ?? 0,
        );
        if (!Number.isSafeInteger(after) || after < 0)
          throw new HitlError('BAD_INPUT', 'Last-Event-ID must be the number of an event');
        return toResponse(leaving(await call.sight.follow(id, after)));
      },
    },
    {
      ...READS,
      path: '/v1/stream',
      isStream: true,
      summary: 'Streams hints that data visible to the token has changed (some hints may be lost)',
      responses: { 200: { says: 'Changes, one per message', schema: schemas.changeSchema, type: stream } },
      handle: ({ sight }) => changeStream((signal) => sight.changes(signal)),
    },
  ];
}

function writingRoutes(): readonly ApiRoute[] {
  return [
    {
      ...WRITES,
      path: '/v1/sessions/:id/answers',
      needs: 'answer',
      summary: 'Answers a question; the first answer wins',
      headers: { 'Idempotency-Key': 'Idempotency key; a repeated key is ignored' },
      body: schemas.answerRequestSchema,
      responses: {
        200: { says: 'Recorded', schema: schemas.answerTakenSchema },
        202: {
          says: 'Accepted: an approval that needs more approvers, or an answer the session has not applied yet',
          schema: schemas.answerTakenSchema,
        },
        400: {
          says: 'Invalid answer or request; nothing was recorded',
          schema: schemas.errorDocumentSchema,
        },
        403: {
          says: 'The user or the token is not allowed to answer this question',
          schema: schemas.errorDocumentSchema,
        },
        404: NOT_FOUND,
        409: { says: 'Already answered; see the error', schema: schemas.errorDocumentSchema },
        412: { says: 'The question has changed', schema: schemas.errorDocumentSchema },
      },
      handle: async (call) => {
        const session = sessionOf(call);
        const receipt = call.request.headers.get('idempotency-key') ?? undefined;
        if (receipt !== undefined && !/^[\w.:-]{1,128}$/u.test(receipt))
          throw new HitlError(
            'BAD_INPUT',
            'Idempotency-Key must be 1 to 128 characters: letters, digits, `.`, `:`, `-` and `_`',
          );
        const { answer, ...shown } = await jsonOf(call, schemas.answerRequestSchema);
        const given = {
          ...{ session, ...shown, ...(receipt !== undefined && { receipt }) },
          read: (context: AnswerContext) => readGiven(answer, context),
        };
        const taken = await call.sight.answer(given, 'web');
        return answerResponse(session, taken);
      },
    },
    {
      ...WRITES,
      path: '/v1/sessions/:id/messages',
      needs: 'say',
      summary: 'Sends a message to a run, delivered at its next safe point',
      body: schemas.messageRequestSchema,
      responses: {
        202: { says: 'Sent', schema: schemas.messageSentSchema },
        400: MISFIT,
        403: NO_ROLE,
        404: NOT_FOUND,
      },
      handle: async (call) => {
        const draft = await jsonOf(call, schemas.messageRequestSchema);
        return jsonResponse(await call.sight.say(sessionOf(call), draft), { status: 202 });
      },
    },
  ];
}

/** @throws HitlError SESSION_NOT_FOUND */
function sessionOf({ param }: Call): SessionId {
  const id = param('id');
  if (isSessionId(id)) return id;
  throw new HitlError('SESSION_NOT_FOUND', 'session not found');
}

function answerResponse(session: SessionId, taken: TakenAnswer): Response {
  switch (taken.type) {
    case 'recorded':
    case 'taken': {
      const { type: status, receipt, interrupt, resolution } = taken;
      return jsonResponse({ status, session, interrupt: interrupt.id, receipt, resolution });
    }
    case 'voted': {
      const { receipt, interrupt, votes } = taken;
      const status = 'voted';
      return jsonResponse({ status, session, interrupt: interrupt.id, receipt, votes }, { status: 202 });
    }
    case 'not-eligible':
      return refusal(403, 'NOT_ELIGIBLE', taken.why);
    case 'left': {
      const { receipt, interrupt } = taken;
      return jsonResponse({ status: 'left', session, interrupt: interrupt.id, receipt }, { status: 202 });
    }
    case 'answered': {
      const { by, resolvedAt, resolution } = taken.resolved ?? {};
      const first = { by, resolvedAt, resolution };
      return refusal(409, 'ALREADY_ANSWERED', taken.why, taken.resolved === undefined ? {} : { first });
    }
    case 'changed':
      return refusal(412, 'BAD_ANSWER', 'the question has changed', {
        hint: 'review it again; its digest has changed',
      });
    case 'misfit':
      return refusal(
        400,
        'BAD_ANSWER',
        taken.why,
        taken.fits.length > 0 ? { hint: `what fits: ${taken.fits.join(' · ')}` } : {},
      );
    case 'not-found':
      return refusal(404, 'INTERRUPT_NOT_FOUND', taken.why);
  }
}
