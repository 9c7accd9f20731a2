import type { InboxMessage, RunState, SessionId } from '../../core/index.js';
import {
  actorName,
  count,
  isQuestion,
  messageWords,
  openInterrupts,
  plainLine,
  sessionTitle,
  sha256,
} from '../../core/index.js';
import { oneLineOf, questionView } from '../../human/index.js';
import type { SeenDelivery, SeenSession } from '../sight/sight.js';
import type { Html } from './html.js';
import { html, textArea } from './html.js';
import type { Page } from './layout.js';
import type { Notice } from './question-page.js';
import { headingOf, noticeOf, placeOf, sessionFacts } from './question-page.js';
import type { Story, WantedStory } from './story.js';
import { endOf, storyOf } from './story.js';

const TITLE_COLUMNS = 120;
const NAME_COLUMNS = 80;
const WORDS_COLUMNS = 200;
/** Maximum length of a message, in characters. */
const MOST_WORDS = 10_000;

/** The data for the page of a session. */
export interface SessionShown extends SeenSession, SeenDelivery {
  readonly wanted: WantedStory;
  /**
   * Form token of the visitor, and an ID for the message that the form sends. Absent if the visitor may not
   * send messages.
   */
  readonly say?: { readonly formToken: string; readonly messageId: string };
  readonly notice?: Notice;
  /** Text of a message that could not be sent. */
  readonly unsent?: string;
}

/** Returns the page of a session: its open questions, the conversation, and a message form. */
export function sessionPage(shown: SessionShown): Page {
  const { id, state, version, wanted, notice } = shown;
  const place = `/sessions/${id}`;
  const title = plainLine(sessionTitle(state) || 'Untitled session', TITLE_COLUMNS);
  const story = storyOf(id, state, wanted);
  if (wanted.before !== undefined) return earlierPage(title, place, story);
  const { from, base } = endOf(state);
  const waiting = waitingPart(id, state);
  const status = statusPart(shown);
  const live = sha256([version, waiting, status].map(String).join('\n')).slice(0, 16);
  return {
    title,
    at: 'sessions',
    main: html`<main
      id="main"
      tabindex="-1"
      data-live="${place}"
      data-state="${live}"
      data-parts
      data-from="${from}"
      data-base="${base}"
      data-stream="/v1/sessions/${id}/events?after=${version}"
    >
      ${noticeOf(notice)}
      <p class="crumb">Session</p>
      <h1 tabindex="-1">${title}</h1>
      <p class="dim">${sessionFacts(state).join(' · ')}</p>
      <div data-part="waiting">${waiting}</div>
      <h2>Conversation</h2>
      ${story.first > 0 && !story.isRest && earlierLink(place, story.first)}
      <div role="log" aria-label="Conversation" data-part="story" ${story.isRest && html`data-rest`}>
        ${story.entries}
        <div data-tail>${story.tail}</div>
      </div>
      <div data-part="status" id="end">${status}</div>
      ${sayForm(shown, place)}
      <p class="dim">At a terminal: <code>hitl resume ${id}</code></p>
    </main>`,
  };
}

/** Returns a page of earlier messages. They do not change, so the page does not update itself. */
function earlierPage(title: string, place: string, { entries, first }: Story): Page {
  return {
    title,
    at: 'sessions',
    main: html`<main id="main" tabindex="-1">
      <p class="crumb"><a href="${place}">Session</a></p>
      <h1 tabindex="-1">${title}</h1>
      <h2>Earlier</h2>
      ${first > 0 && earlierLink(place, first)}
      <div>${entries}</div>
      <p><a class="next" href="${place}">Back to the end</a></p>
    </main>`,
  };
}

function earlierLink(place: string, first: number): Html {
  return html`<p><a class="next" href="${place}?before=${first}">${count(first, 'earlier message')}</a></p>`;
}

/** Renders the open questions, and the waits that end without an answer. */
function waitingPart(id: SessionId, state: RunState): Html {
  const open = openInterrupts(state);
  const others = open.filter((one) => !isQuestion(one));
  const rows = open.filter(isQuestion).map(
    (one) =>
      html`<li>
        <a class="card question" href="${placeOf(id, one.id)}"
          ><span class="asked">${headingOf(questionView(one, state))}</span>
          <span class="about">${oneLineOf(one, WORDS_COLUMNS)}</span></a
        >
      </li>`,
  );
  return html`${
    rows.length > 0 &&
    html`<h2>Waiting for you</h2>
      <ul class="list">
        ${rows}
      </ul>`
  }${
    others.length > 0 &&
    html`<h2>Continues on its own</h2>
      <ul>
        ${others.map((one) => html`<li>${oneLineOf(one, WORDS_COLUMNS)}</li>`)}
      </ul>`
  }`;
}

/** Renders the status: whether a process is working on the session, and the messages in its queue. */
function statusPart({ state, isWritten, queue: { items, total } }: SessionShown): Html {
  const isWorking = isWritten && state.ended === undefined && openInterrupts(state).length === 0;
  return html`${isWorking && html`<p class="dim">Working…</p>`}${
    total > 0 &&
    html`<p class="dim">
        ${count(total, 'queued message')}, delivered
        ${isWritten ? 'after the current step' : 'when the session resumes'}:
      </p>
      <ul>
        ${items.map(queuedRow)}
      </ul>`
  }`;
}

function queuedRow(message: InboxMessage): Html {
  const from = plainLine(actorName(message.from), NAME_COLUMNS);
  return html`<li>
    ${plainLine(messageWords(message), WORDS_COLUMNS)} <span class="dim">from ${from}</span>
  </li>`;
}

/** Renders the message form. Messages are sent in the same way as with `hitl send`. */
function sayForm({ state, say, unsent = '' }: SessionShown, place: string): Html | undefined {
  if (say === undefined) return undefined;
  if (state.graph !== undefined && state.ended?.type === 'done')
    return html`<p class="dim">This workflow is done and takes no messages.</p>`;
  return html`<form method="post" action="${place}/messages" class="card say">
    <input type="hidden" name="form" value="${say.formToken}" /><input
      type="hidden"
      name="id"
      value="${say.messageId}"
    />
    <label for="say">Say something</label>
    <div class="row">
      ${textArea(html`id="say" name="text" class="grow" rows="1" maxlength="${MOST_WORDS}" required`, unsent)}<button
        class="starts"
      >
        Send
      </button>
    </div>
  </form>`;
}
