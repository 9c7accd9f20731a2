import type { Chat, ChatOptions, LiveEvent, LiveRun } from 'hitl';
import { answers, HitlError, openChat } from 'hitl';
import { runResponse, toNode, toRefusal, toResponse } from 'hitl/web';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';

type Options = ChatOptions & { readonly store: string };

/** Characters of a body that are read. */
const MOST = 100_000;

/**
 * A chat over HTTP, without a framework. Each request opens the chat and gives it back, so that any number of processes
 * may serve it; while one runs it, the others answer 503.
 *
 *     POST /chats                     says {"text"} in a new chat: a stream of events, the id in a header
 *     POST /chats/<id>                says {"text"}: a stream of events
 *     GET  /chats/<id>                what waits, and what was said
 *     GET  /chats/<id>/events?after=  the events behind one that is known
 *     POST /chats/<id>/answers        takes {"id","digest","resolution"}: a stream of events
 */
export function chatServer(options: Options): Server {
  return createServer((request, response) => {
    void handle(request, options)
      .catch(toRefusal)
      .then((given) => toNode(given, response))
      .catch(() => response.destroy());
  });
}

async function handle(request: IncomingMessage, options: Options): Promise<Response> {
  const url = new URL(request.url ?? '/', 'http://here');
  const route = `${request.method ?? ''} ${url.pathname}`;
  const [, id] = /^\S+ \/chats\/([^/]+)/u.exec(route) ?? [];
  if (route === 'POST /chats') {
    const text = textIn(await jsonOf(request));
    return running(await openChat(options), (chat) => chat.say(text));
  }
  if (id === undefined) throw new HitlError('SESSION_NOT_FOUND', `there is no ${route}`);
  switch (route.replace(id, '*')) {
    case 'POST /chats/*': {
      const text = textIn(await jsonOf(request));
      return running(await openChat(id, options), (chat) => chat.say(text));
    }
    case 'POST /chats/*/answers': {
      const by = { type: 'person', name: userOf(request), via: 'library' } as const;
      const answer = answers.read(await jsonOf(request), { by });
      return running(await openChat(id, options), (chat) => chat.answer(answer));
    }
    case 'GET /chats/*': {
      await using chat = await openChat(id, options);
      return Response.json({ open: chat.open, messages: chat.messages });
    }
    case 'GET /chats/*/events': {
      const after = Number(url.searchParams.get('after'));
      const chat = live.get(id);
      return toResponse(chat?.events({ after }) ?? eventsOf(await openChat(id, options), after));
    }
    default:
      throw new HitlError('SESSION_NOT_FOUND', `there is no ${route}`);
  }
}

/** The chats of this process in which something runs: whoever lost the line reads on in them. */
const live = new Map<string, Chat>();

/** A run goes on, whether or not somebody reads it; the chat is given back where it rests. */
async function running(chat: Chat, begin: (chat: Chat) => LiveRun): Promise<Response> {
  live.set(chat.id, chat);
  const session = {
    close: async () => {
      live.delete(chat.id);
      await chat.close();
    },
  };
  return runResponse(begin(chat), session, { headers: { 'x-chat': chat.id } });
}

/** The events of a chat that rests. */
async function* eventsOf(chat: Chat, after: number): AsyncGenerator<LiveEvent> {
  try {
    yield* chat.events({ after });
  } finally {
    await chat.close();
  }
}

async function jsonOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  request.setEncoding('utf8');
  for await (const piece of request) {
    text += String(piece);
    if (text.length > MOST) throw new HitlError('BAD_INPUT', 'the body is too long');
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HitlError('BAD_INPUT', 'the body is not JSON', { cause });
  }
}

function textIn(body: unknown): string {
  if (typeof body === 'object' && body !== null && 'text' in body && typeof body.text === 'string')
    return body.text;
  throw new HitlError('BAD_INPUT', 'the body has no `text`');
}

/** Whoever decides is whom the server knows: here a header that your login would set. */
function userOf({ headers }: IncomingMessage): string {
  const user = headers['x-user'];
  return typeof user === 'string' ? user : 'somebody';
}
