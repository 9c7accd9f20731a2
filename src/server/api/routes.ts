import type { SessionId } from '../../core/index.js';
import { isSessionId, openInterrupts, transcriptMessages, withoutKept, HitlError } from '../../core/index.js';
import { oneLineOf } from '../../human/index.js';
import { toResponse } from '../../web/index.js';
import type { TakenAnswer } from '../answering/index.js';
import { actorOf, readGiven, takeAnswer } from '../answering/index.js';
import { fitting, jsonOf } from '../body.js';
import type { Call, Route } from '../route.js';
import type { ServedSessions } from '../running/index.js';
import type { ServerWorld } from '../world.js';
import { leaving } from '../changes.js';
import { listSessions, listWaiting } from './cursor.js';
import { followSession } from './follow.js';
import { busy, refusal } from './problem.js';
import * as schemas from './schemas.js';
import { changeStream } from './stream.js';

const NOT_FOUND = { says: 'There is no such thing', schema: schemas.errorDocumentSchema };
const MISFIT = { says: 'The request does not fit', schema: schemas.errorDocumentSchema };

/** The routes for programs. */
export function apiRoutes(world: ServerWorld, served?: Pick<ServedSessions, 'begin'>): readonly Route[] {
  return [
    ...readingRoutes(world),
    ...streamRoutes(world),
    ...(served === undefined ? [] : [beginRoute(served)]),
    ...writingRoutes(world),
  ];
}

function beginRoute(served: Pick<ServedSessions, 'begin'>): Route {
  return {
    method: 'POST',
    path: '/v1/sessions',
    summary: 'Begins a session of the agent that the server was given, with a first message',
    body: schemas.beginRequestSchema,
    responses: {
      201: { says: 'It has begun; its questions are in `/v1/waiting`', schema: schemas.sessionBegunSchema },
      400: MISFIT,
      503: {
        says: 'As many sessions run as may at the same time: nothing has begun; `Retry-After` says when to try again',
        schema: schemas.errorDocumentSchema,
      },
    },
    handle: async ({ request, visitor }) => {
      const { text, title } = await jsonOf(request, schemas.beginRequestSchema);
      const by = actorOf(visitor, 'web');
      const id = await served.begin({ text, by, ...(title !== undefined && { title }) });
      if (id === undefined) return busy();
      const headers = { location: `/v1/sessions/${id}` };
      return Response.json({ id }, { status: 201, headers });
    },
  };
}

function readingRoutes({ store }: ServerWorld): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/waiting',
      summary: 'The open questions of all sessions, the oldest first',
      query: schemas.waitingQuerySchema,
      responses: { 200: { says: 'A page of questions', schema: schemas.waitingPageSchema }, 400: MISFIT },
      handle: async ({ url }) => {
        const query = fitting(Object.fromEntries(url.searchParams), schemas.waitingQuerySchema);
        const { items, ...more } = await listWaiting(store, query);
        return Response.json({
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
      method: 'GET',
      path: '/v1/sessions',
      summary: 'The sessions, the newest first',
      query: schemas.sessionsQuerySchema,
      responses: { 200: { says: 'A page of sessions', schema: schemas.sessionsPageSchema }, 400: MISFIT },
      handle: async ({ url }) => {
        const query = fitting(Object.fromEntries(url.searchParams), schemas.sessionsQuerySchema);
        return Response.json(await listSessions(store, query));
      },
    },
    {
      method: 'GET',
      path: '/v1/sessions/:id',
      summary: 'One session: its open questions and what was said',
      responses: { 200: { says: 'The session', schema: schemas.sessionSchema }, 404: NOT_FOUND },
      handle: async (call) => {
        await using session = await store.open(sessionOf(call), 'read');
        const { id, state, createdAt, updatedAt } = session;
        return Response.json({
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

function streamRoutes(world: ServerWorld): readonly Route[] {
  const stream = 'text/event-stream';
  return [
    {
      method: 'GET',
      path: '/v1/sessions/:id/events',
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
        await (await world.store.open(id, 'read'))[Symbol.asyncDispose](); // what cannot be opened is no stream
        return toResponse(leaving((signal) => followSession(world, id, after, signal)));
      },
    },
    {
      method: 'GET',
      path: '/v1/stream',
      summary: 'What happens in the store from now on: a hint to look again, which may be lost',
      responses: { 200: { says: 'Changes, one a message', schema: schemas.changeSchema, type: stream } },
      handle: () => changeStream(world.changes),
    },
  ];
}

function writingRoutes(world: ServerWorld): readonly Route[] {
  const { store, changes } = world;
  return [
    {
      method: 'POST',
      path: '/v1/sessions/:id/answers',
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
        403: { says: 'The person may not answer this', schema: schemas.errorDocumentSchema },
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
        const { answer, ...shown } = await jsonOf(call.request, schemas.answerRequestSchema);
        const taken = await takeAnswer(world, {
          session,
          ...shown,
          read: (context) => readGiven(answer, context),
          by: actorOf(call.visitor, 'web'),
          ...(receipt !== undefined && { receipt }),
        });
        if (taken.type === 'recorded' || taken.type === 'taken' || taken.type === 'voted')
          changes.tell({ session, what: 'answered' });
        return answerResponse(session, taken);
      },
    },
    {
      method: 'POST',
      path: '/v1/sessions/:id/messages',
      summary: 'Sends a message to a run: it is delivered at its next safe point',
      body: schemas.messageRequestSchema,
      responses: {
        202: { says: 'It was sent', schema: schemas.messageSentSchema },
        400: MISFIT,
        404: NOT_FOUND,
      },
      handle: async (call) => {
        const draft = await jsonOf(call.request, schemas.messageRequestSchema);
        const from = actorOf(call.visitor, 'web');
        const mail = store.mail(sessionOf(call));
        const sent = await mail.send({ ...draft, from }, {}, world.patience());
        return Response.json(sent, { status: 202 });
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
      return Response.json({ status, session, interrupt: interrupt.id, receipt, resolution });
    }
    case 'voted': {
      const { receipt, interrupt, votes } = taken;
      const status = 'voted';
      return Response.json({ status, session, interrupt: interrupt.id, receipt, votes }, { status: 202 });
    }
    case 'not-eligible':
      return refusal(403, 'NOT_ELIGIBLE', taken.why);
    case 'left': {
      const { receipt, interrupt } = taken;
      return Response.json({ status: 'left', session, interrupt: interrupt.id, receipt }, { status: 202 });
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
