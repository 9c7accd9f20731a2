import type { RunState, SessionId } from '../../core/index.js';
import { approversWords, isHitlError, isQuestion, isSessionId } from '../../core/index.js';
import { questionView, toolOf } from '../../human/index.js';
import { contextOf } from '../answering/take-answer.js';
import type { Call, InnerRoute } from '../route.js';
import { MOST_BYTES } from '../route.js';
import type { SeenQuestion } from '../sight/sight.js';
import type { ServerWorld } from '../world.js';
import { editPage } from './edit-page.js';
import type { Page } from './layout.js';
import { documentOf, messagePage } from './layout.js';
import { inboxPage, sessionPage, sessionsPage } from './list-pages.js';
import type { NextQuestion, Notice, QuestionShown } from './question-page.js';
import { answeredPage, placeOf, questionPage } from './question-page.js';
import { editOf, readForm } from './read-form.js';

/** Items of a page. */
const ITEMS = 50;

/** The response of a page. */
export function pageResponse(page: Page, call: Pick<Call, 'visitor'> | undefined, status = 200): Response {
  const text = documentOf({ ...page, ...(call !== undefined && { visitor: call.visitor }) });
  return new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } });
}

/** What pages need besides their visitor's sight. */
type PageWorld = Pick<ServerWorld, 'clock' | 'changes'>;

const READS = { method: 'GET', kind: 'page', needs: 'any role' } as const;
const ANSWERS = {
  method: 'POST',
  kind: 'page',
  needs: 'answer',
  shows: 'field',
  mostBytes: MOST_BYTES,
} as const;

/** Returns the pages for people. GET requests change nothing. */
export function pageRoutes(world: PageWorld): readonly InnerRoute[] {
  const { clock } = world;
  const question = '/sessions/:id/questions/:question';
  return [
    {
      ...READS,
      path: '/',
      handle: async (call) =>
        pageResponse(inboxPage(await call.sight.waiting(partOf(call)), clock.now()), call),
    },
    {
      ...READS,
      path: '/sessions',
      handle: async (call) =>
        pageResponse(sessionsPage(await call.sight.sessions(partOf(call)), clock.now()), call),
    },
    {
      ...READS,
      path: '/sessions/:id',
      handle: async (call) => {
        const found = await sessionOf(call);
        return found === undefined
          ? nothing(call)
          : pageResponse(sessionPage(found.session, found.state), call);
      },
    },
    { ...READS, path: question, handle: (call) => showQuestion(call, world) },
    { ...ANSWERS, path: `${question}/answer`, handle: (call) => answerQuestion(call, world) },
    { ...ANSWERS, path: `${question}/preview`, handle: (call) => previewEdit(call, world) },
  ];
}

/** Reads the requested part of a list. */
function partOf({ url }: Call): { readonly limit: number; readonly after?: string } {
  const after = url.searchParams.get('after');
  return { limit: ITEMS, ...(after !== null && { after }) };
}

interface Found {
  readonly session: SessionId;
  readonly state: RunState;
}

async function sessionOf({ param, sight }: Call): Promise<Found | undefined> {
  const id = param('id');
  try {
    return isSessionId(id) ? { session: id, state: (await sight.session(id)).state } : undefined;
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'SESSION_NOT_FOUND') return undefined;
    throw thrown;
  }
}

async function questionOf({ param, sight }: Call): Promise<(Found & SeenQuestion) | undefined> {
  const session = param('id');
  const seen = isSessionId(session) ? await sight.question(session, param('question')) : undefined;
  return isSessionId(session) && seen !== undefined ? { session, ...seen } : undefined;
}

function nothing(call: Call): Response {
  return pageResponse(messagePage('Not found', 'Session or question not found.'), call, 404);
}

/** Renders a question's current state: open, answered, or gone. */
async function showQuestion(
  call: Call,
  world: PageWorld,
  more: { readonly notice?: Notice; readonly given?: URLSearchParams; readonly status?: number } = {},
): Promise<Response> {
  const found = await questionOf(call);
  if (found === undefined) return nothing(call);
  const { status = 200, ...above } = more;
  const { session, state, interrupt, resolved } = found;
  const open = await call.sight.open(session, state);
  const isSaid = resolved !== undefined || above.notice?.kind === 'good';
  const next = isSaid ? await nextAfter(call, { session, open }) : undefined;
  const shown: QuestionShown = {
    ...{ session, state, open },
    ...above,
    ...(next && { next }),
    seesSession: await call.sight.sees(session),
    now: world.clock.now(),
    formToken: call.visitor.formToken ?? '',
  };
  if (interrupt !== undefined) return pageResponse(questionPage(interrupt, shown), call, status);
  return resolved === undefined ? nothing(call) : pageResponse(answeredPage(resolved, shown), call, status);
}

/** Returns the next question: of this session, else the oldest visible one. */
async function nextAfter(
  { param, sight }: Call,
  { session, open }: Pick<QuestionShown, 'session' | 'open'>,
): Promise<NextQuestion | undefined> {
  const isOther = (one: NextQuestion): boolean =>
    one.session !== session || one.interrupt.id !== param('question');
  const here = open.filter(isQuestion).map((interrupt) => ({ session, interrupt }));
  return here.find(isOther) ?? (await sight.waiting({ limit: 2 })).items.find(isOther);
}

async function answerQuestion(call: Call, world: PageWorld): Promise<Response> {
  const { form } = call;
  const session = call.param('id');
  if (!isSessionId(session)) return nothing(call);
  const given = { session, interrupt: call.param('question'), digest: form.get('digest') ?? '' };
  const taken = await call.sight.answer(
    { ...given, read: (context, state) => readForm(form, context, state) },
    'web',
  );
  switch (taken.type) {
    case 'recorded':
    case 'taken':
      return seeOther(placeOf(session, call.param('question')));
    case 'voted':
      return showQuestion(call, world, {
        ...said('good', `Vote recorded. It ${approversWords(taken.interrupt, taken.votes) ?? ''}`),
      });
    case 'not-eligible':
      return showQuestion(call, world, { ...said('bad', `Not recorded: ${taken.why}`), status: 403 });
    case 'left':
      return showQuestion(call, world, {
        ...said('good', 'Answer saved. The running session has not confirmed it yet.'),
        status: 202,
      });
    case 'answered':
      return showQuestion(call, world, {
        ...said('bad', `Not recorded: this was ${taken.why}.`),
        status: 409,
      });
    case 'changed':
      return showQuestion(call, world, {
        ...said('bad', 'The question has changed. Nothing was recorded. Review it again.'),
        status: 412,
      });
    case 'misfit':
      return showQuestion(call, world, {
        ...said('bad', `Not recorded: ${taken.why}`),
        given: form,
        status: 400,
      });
    case 'not-found':
      return nothing(call);
  }
}

/** Creates a notice above a question. */
function said(kind: Notice['kind'], text: string): { readonly notice: Notice } {
  return { notice: { kind, text } };
}

async function previewEdit(call: Call, world: PageWorld): Promise<Response> {
  const { form } = call;
  const found = await questionOf(call);
  const interrupt = found?.interrupt;
  if (found === undefined || interrupt === undefined) return showQuestion(call, world, { status: 409 });
  if (interrupt.digest !== form.get('digest'))
    return showQuestion(call, world, {
      ...said('bad', 'The question has changed. Review it again.'),
      status: 412,
    });
  const { state, session } = found;
  const context = contextOf(interrupt, state);
  const read = readForm(form, context, state);
  if (!read.ok)
    return showQuestion(call, world, {
      ...said('bad', `Invalid: ${read.why}`),
      given: form,
      status: 400,
    });
  const edit = editOf(read, context, state);
  const view = questionView(interrupt, state, { limits: null, now: world.clock.now() });
  const way = view.ways.find(({ key }) => key === form.get('way'));
  if (edit === undefined || way === undefined) return showQuestion(call, world, { status: 400 });
  const { resolution } = read;
  const sent = 'patch' in resolution ? resolution.patch : edit.after;
  const asked = {
    ...{ view, state, tool: toolOf(interrupt, state), given: form },
    place: placeOf(session, interrupt.id),
    formToken: call.visitor.formToken ?? '',
  };
  return pageResponse(editPage({ asked, way, ...edit, json: JSON.stringify(sent) }), call);
}

function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}
