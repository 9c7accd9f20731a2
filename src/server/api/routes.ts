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
import * as schemas from './schemas.js';
import { changeStream } from './stream.js';

const NOT_FOUND = { says: 'There is no such thing', schema: schemas.errorDocumentSchema };
const NO_ROLE = { says: 'The token does not have the role', schema: schemas.errorDocumentSchema };
const MISFIT = { says: 'The request does not fit', schema: schemas.errorDocumentSchema };

const READS = { method: 'GET', kind: 'json', needs: 'any role' } as const;
const WRITES = { method: 'POST', kind: 'json', shows: 'header', mostBytes: MOST_BYTES } as const;

/** The routes for programs. */
export function apiRoutes(served?: Pick<ServedSessions, 'begin'>): readonly ApiRoute[] {
  return [
    ...readingRoutes(),
    ...streamRoutes(),
    ...(served === undefined ? [] : [beginRoute(served)]),
    ...writingRoutes(),
  ];
}

/** The time after which it may be tried again where all slots are taken, in seconds. */
const AGAIN_S = 5;

/** The response where as many sessions run as may. */
export function busy(): Response {
  return refusal(503, 'BUSY', 'as many sessions run here as may at the same time', {
    hint: 'nothing has begun: try again later',
    headers: { 'retry-after': `${AGAIN_S}` },
  });
}

function beginRoute(served: Pick<ServedSessions, 'begin'>): ApiRoute {
  return {
    ...WRITES,
    path: '/v1/sessions',
    needs: 'begin',
    summary: 'Begins a session of the agent that the server was given, with a first message',
    body: schemas.beginRequestSchema,
    responses: {
      201: { says: 'It has begun; its questions are in `/v1/waiting`', schema: schemas.sessionBegunSchema },
      400: MISFIT,
      403: NO_ROLE,
      503: {
        says: 'As many sessions run as may at the same time: nothing has begun; `Retry-After` says when to try again',
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
      summary: 'The open questions that the token may see, of all sessions, the oldest first',
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
      summary: 'The sessions that the token may see, the newest first',
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
      summary: 'One session: its open questions and what was said',
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
      summary: 'The events of a session from the first, or behind `Last-Event-ID`, and then those that come',
      headers: { 'Last-Event-ID': 'The number of the last event that is known' },
      responses: {
        200: { says: 'Events, one a message', schema: schemas.wireEventSchema, type: stream },
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
      summary: 'What happens from now on in what the token may see: a hint to look again, which may be lost',
      responses: { 200: { says: 'Changes, one a message', schema: schemas.changeSchema, type: stream } },
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
      summary: 'Answers a question; the first answer counts',
      headers: { 'Idempotency-Key': 'Names the answer: sent again, it counts once' },
      body: schemas.answerRequestSchema,
      responses: {
        200: { says: 'It counts', schema: schemas.answerTakenSchema },
        202: {
          says: 'It is kept: a vote that more people must join, or an answer for the process that has the session',
          schema: schemas.answerTakenSchema,
        },
        400: {
          says: 'The answer does not fit the question, or the request its schema; nothing is kept',
          schema: schemas.errorDocumentSchema,
        },
        403: {
          says: 'The person may not answer this, or the token answers nothing',
          schema: schemas.errorDocumentSchema,
        },
        404: NOT_FOUND,
        409: { says: 'Somebody was first; the error says who', schema: schemas.errorDocumentSchema },
        412: { says: 'The question is another one than was shown', schema: schemas.errorDocumentSchema },
      },
      handle: async (call) => {
        const session = sessionOf(call);
        const receipt = call.request.headers.get('idempotency-key') ?? undefined;
        if (receipt !== undefined && !/^[\w.:-]{1,128}$/u.test(receipt))
          throw new HitlError(
            'BAD_INPUT',
            'Idempotency-Key must be 1 to 128 of letters, digits, `.`, `:`, `-` and `_`',
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
      summary: 'Sends a message to a run: it is delivered at its next safe point',
      body: schemas.messageRequestSchema,
      responses: {
        202: { says: 'It was sent', schema: schemas.messageSentSchema },
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
  throw new HitlError('SESSION_NOT_FOUND', 'there is no such session');
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
      return refusal(412, 'BAD_ANSWER', 'the question is another one than was shown', {
        hint: 'look at it again: its digest is another one now',
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
