import type { RunState, SessionId } from '../../core/index.js';
import { approversWords, isSameText, isSessionId, openInterrupt } from '../../core/index.js';
import { questionView, toolOf } from '../../human/index.js';
import { actorOf, contextOf, stateOf, takeAnswer } from '../answering/index.js';
import { listSessions, listWaiting } from '../api/index.js';
import { formOf } from '../body.js';
import type { Call, Route } from '../route.js';
import type { ServerWorld } from '../world.js';
import { editPage } from './edit-page.js';
import type { Page } from './layout.js';
import { documentOf, messagePage } from './layout.js';
import { inboxPage, sessionPage, sessionsPage } from './list-pages.js';
import type { Notice, QuestionShown } from './question-page.js';
import { answeredPage, placeOf, questionPage } from './question-page.js';
import { editOf, readForm } from './read-form.js';

/** Items of a page. */
const ITEMS = 50;

/** The response of a page. */
export function pageResponse(page: Page, call: Pick<Call, 'visitor'> | undefined, status = 200): Response {
  const text = documentOf({ ...page, ...(call !== undefined && { visitor: call.visitor }) });
  return new Response(text, { status, headers: { 'content-type': 'text/html; charset=utf-8' } });
}

/** The pages for people. Those that are got change nothing. */
export function pageRoutes(world: ServerWorld): readonly Pick<Route, 'method' | 'path' | 'handle'>[] {
  const { store, clock } = world;
  const question = '/sessions/:id/questions/:question';
  return [
    {
      method: 'GET',
      path: '/',
      handle: async (call) =>
        pageResponse(inboxPage(await listWaiting(store, partOf(call)), clock.now()), call),
    },
    {
      method: 'GET',
      path: '/sessions',
      handle: async (call) =>
        pageResponse(sessionsPage(await listSessions(store, partOf(call)), clock.now()), call),
    },
    {
      method: 'GET',
      path: '/sessions/:id',
      handle: async (call) => {
        const found = await sessionOf(call, world);
        return found === undefined
          ? nothing(call)
          : pageResponse(sessionPage(found.session, found.state), call);
      },
    },
    { method: 'GET', path: question, handle: (call) => showQuestion(call, world) },
    { method: 'POST', path: `${question}/answer`, handle: (call) => answerQuestion(call, world) },
    { method: 'POST', path: `${question}/preview`, handle: (call) => previewEdit(call, world) },
  ];
}

/** The part of a list that a page is asked for. */
function partOf({ url }: Call): { readonly limit: number; readonly after?: string } {
  const after = url.searchParams.get('after');
  return { limit: ITEMS, ...(after !== null && { after }) };
}

interface Found {
  readonly session: SessionId;
  readonly state: RunState;
}

async function sessionOf({ param }: Call, { store }: ServerWorld): Promise<Found | undefined> {
  const session = param('id');
  const state = isSessionId(session) ? await stateOf(store, session) : undefined;
  return isSessionId(session) && state !== undefined ? { session, state } : undefined;
}

function nothing(call: Call): Response {
  return pageResponse(messagePage('Not here', 'There is no such session or question.'), call, 404);
}

/** The question as it is now: open, answered, or gone. */
async function showQuestion(
  call: Call,
  world: ServerWorld,
  more: { readonly notice?: Notice; readonly given?: URLSearchParams; readonly status?: number } = {},
): Promise<Response> {
  const found = await sessionOf(call, world);
  if (found === undefined) return nothing(call);
  const { status = 200, ...above } = more;
  const { state } = found;
  const id = call.param('question');
  const shown: QuestionShown = {
    ...found,
    ...above,
    now: world.clock.now(),
    formToken: call.visitor.formToken ?? '',
  };
  const interrupt = openInterrupt(state, id);
  if (interrupt !== undefined) return pageResponse(questionPage(interrupt, shown), call, status);
  const resolved = state.resolved.findLast((one) => one.interrupt.id === id);
  return resolved === undefined ? nothing(call) : pageResponse(answeredPage(resolved, shown), call, status);
}

async function answerQuestion(call: Call, world: ServerWorld): Promise<Response> {
  const form = await checkedForm(call);
  const session = call.param('id');
  if (form === undefined) return foreignForm(call);
  if (!isSessionId(session)) return nothing(call);
  const taken = await takeAnswer(world, {
    session,
    interrupt: call.param('question'),
    digest: form.get('digest') ?? '',
    read: (context, state) => readForm(form, context, state),
    by: actorOf(call.visitor, 'web'),
  });
  switch (taken.type) {
    case 'recorded':
    case 'taken':
      world.changes.tell({ session, what: 'answered' });
      return seeOther(placeOf(session, call.param('question')));
    case 'voted':
      world.changes.tell({ session, what: 'changed' });
      return showQuestion(call, world, {
        ...said('good', `Your vote stands: it ${approversWords(taken.interrupt, taken.votes) ?? ''}`),
      });
    case 'not-eligible':
      return showQuestion(call, world, { ...said('bad', `Not answered: ${taken.why}`), status: 403 });
    case 'left':
      return showQuestion(call, world, {
        ...said('good', 'Your answer is saved. The process that has the session has not taken it yet.'),
        status: 202,
      });
    case 'answered':
      return showQuestion(call, world, {
        ...said('bad', `Your answer does not count: it was ${taken.why}.`),
        status: 409,
      });
    case 'changed':
      return showQuestion(call, world, {
        ...said(
          'bad',
          'This is another question than the one that you saw. Nothing was answered: look at it again.',
        ),
        status: 412,
      });
    case 'misfit':
      return showQuestion(call, world, {
        ...said('bad', `Not answered: ${taken.why}`),
        given: form,
        status: 400,
      });
    case 'not-found':
      return nothing(call);
  }
}

/** The words above a question. */
function said(kind: Notice['kind'], text: string): { readonly notice: Notice } {
  return { notice: { kind, text } };
}

async function previewEdit(call: Call, world: ServerWorld): Promise<Response> {
  const form = await checkedForm(call);
  if (form === undefined) return foreignForm(call);
  const found = await sessionOf(call, world);
  const interrupt = found && openInterrupt(found.state, call.param('question'));
  if (found === undefined || interrupt === undefined) return showQuestion(call, world, { status: 409 });
  if (interrupt.digest !== form.get('digest'))
    return showQuestion(call, world, {
      ...said('bad', 'This is another question than the one that you saw: look at it again.'),
      status: 412,
    });
  const { state, session } = found;
  const context = contextOf(interrupt, state);
  const read = readForm(form, context, state);
  if (!read.ok)
    return showQuestion(call, world, {
      ...said('bad', `It does not fit: ${read.why}`),
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

/** The fields of a form of ours; `undefined` where it does not carry the token of this browser. */
async function checkedForm({ request, visitor }: Call): Promise<URLSearchParams | undefined> {
  const form = await formOf(request);
  const isOurs = visitor.formToken !== undefined && isSameText(form.get('form') ?? '', visitor.formToken);
  return isOurs ? form : undefined;
}

function foreignForm(call: Call): Response {
  return pageResponse(
    messagePage(
      'Not taken',
      'This form is not one of yours: it may be older than your sign-in. Nothing was answered.',
      'Open the question again.',
    ),
    call,
    403,
  );
}

function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location } });
}
