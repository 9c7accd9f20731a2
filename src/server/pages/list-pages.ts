import type { SessionSummary, WaitingItem, RunState, SessionId } from '../../core/index.js';
import {
  count,
  durationText,
  escapeLines,
  escapeText,
  isQuestion,
  openInterrupts,
  sha256,
  textOf,
} from '../../core/index.js';
import { oneLineOf } from '../../human/index.js';
import type { Listed } from '../sight/cursor.js';
import type { Html } from './html.js';
import { html } from './html.js';
import type { Page } from './layout.js';
import { decisionText, placeOf } from './question-page.js';

/** Length of a list line. */
const COLUMNS = 160;

/** The page of all open questions, the oldest first. */
export function inboxPage({ items, next }: Listed<WaitingItem>, now: number): Page {
  const rows = items.map(({ session, title, interrupt }) => {
    const asked = oneLineOf(interrupt, COLUMNS);
    const meta = [escapeText(title), agoOf(interrupt.raisedAt, now)]
      .filter((text) => text !== '')
      .join(' · ');
    return html`<li>
      <a class="card" href="${placeOf(session, interrupt.id)}"
        ><span class="asked">${asked}</span><br /><span class="dim">${meta}</span></a
      >
    </li>`;
  });
  const body = listOf(rows, 'No open questions. New ones appear here automatically.');
  const heading =
    items.length === 0
      ? 'Questions'
      : `${count(items.length, 'question')}${next === undefined ? '' : ' and more'}`;
  return { title: heading, at: 'questions', main: listMain({ live: '/', heading, body, next, items }) };
}

/** The page of sessions, the newest first. */
export function sessionsPage({ items, next }: Listed<SessionSummary>, now: number): Page {
  const rows = items.map(
    ({ id, title, status, waiting, updatedAt }) =>
      html`<li>
        <a class="card" href="/sessions/${id}"
          ><span class="asked">${escapeText(title)}</span><br /><span class="dim"
            >${waiting > 0 ? `${status} · ${count(waiting, 'question')}` : status} · ${agoOf(updatedAt, now)}
            · ${id}</span
          ></a
        >
      </li>`,
  );
  const body = listOf(rows, 'No sessions yet.');
  return {
    title: 'Sessions',
    at: 'sessions',
    main: listMain({ live: '/sessions', heading: 'Sessions', body, next, items }),
  };
}

/** Number of conversation entries on a page. */
const MOST_SAID = 60;

/** Returns a session's page: open questions, conversation, and decisions. */
export function sessionPage(id: SessionId, state: RunState): Page {
  const open = openInterrupts(state);
  const waits = open
    .filter((one) => !isQuestion(one))
    .map((one) => html`<li>${oneLineOf(one, COLUMNS)}</li>`);
  const questions = open.filter(isQuestion);
  const asked = questions.map(
    (one) =>
      html`<li>
        <a class="card" href="${placeOf(id, one.id)}"
          ><span class="asked">${oneLineOf(one, COLUMNS)}</span></a
        >
      </li>`,
  );
  const said = state.entries.toArray().flatMap(({ message }) => {
    const text = textOf(message);
    if (text.trim() === '' || (message.role !== 'user' && message.role !== 'model')) return [];
    return [
      html`<p class="said ${message.role}">
        <span class="aloud">${message.role === 'user' ? 'you' : 'the model'}:</span
        ><span class="words">${escapeLines(text).join('\n')}</span>
      </p>`,
    ];
  });
  const decided = state.resolved.toArray().map((one) => html`<li>${decisionText(one)}</li>`);
  const title = escapeText(state.title ?? id);
  return {
    title,
    at: 'sessions',
    main: html`<main
      id="main"
      tabindex="-1"
      data-live="/sessions/${id}"
      data-state="${sha256(`${open.map((one) => one.id).join()} ${said.length} ${decided.length}`).slice(0, 16)}"
    >
      <h1 tabindex="-1">${title}</h1>
      <p class="dim">${id}${state.cwd !== undefined && html` · ${escapeText(state.cwd)}`}</p>
      ${
        questions.length > 0 &&
        html`<h2>Waiting for you</h2>
          <ul class="list">
            ${asked}
          </ul>`
      }
      ${
        waits.length > 0 &&
        html`<h2>Continues on its own</h2>
          <ul class="list">
            ${waits}
          </ul>`
      }
      <h2>Conversation</h2>
      ${said.length > MOST_SAID && html`<p class="dim">Last ${MOST_SAID} of ${said.length} messages. Full transcript: <code>hitl show ${id}</code></p>`}${said.slice(-MOST_SAID)}
      ${
        decided.length > 0 &&
        html`<h2>Decisions</h2>
          <ul>
            ${decided}
          </ul>`
      }
    </main>`,
  };
}

function listOf(rows: readonly Html[], otherwise: string): Html {
  if (rows.length === 0) return html`<p class="empty">${otherwise}</p>`;
  return html`<ul class="list">
    ${rows}
  </ul>`;
}

function listMain({
  live,
  heading,
  body,
  next,
  items,
}: {
  readonly live: string;
  readonly heading: string;
  readonly body: Html;
  readonly next: string | undefined;
  readonly items: readonly unknown[];
}): Html {
  const state = sha256(JSON.stringify(items)).slice(0, 16);
  const more = next === undefined ? undefined : html`<p><a href="${live}?after=${next}">More</a></p>`;
  return html`<main id="main" tabindex="-1" data-live="${live}" data-state="${state}">
    <h1 tabindex="-1">${heading}</h1>
    ${body}${more}
  </main>`;
}

function agoOf(at: string, now: number): string {
  const age = now - Date.parse(at);
  return age >= 60_000 ? `${durationText(age)} ago` : 'just now';
}
