import type { Interrupt, SessionSummary, WaitingItem, SessionId } from '../../core/index.js';
import { count, durationText, escapeText, plainLine, sha256 } from '../../core/index.js';
import { oneLineOf } from '../../human/index.js';
import type { Listed } from '../sight/cursor.js';
import type { Beginning } from '../world.js';
import type { Html } from './html.js';
import { html } from './html.js';
import type { Page } from './layout.js';
import { placeOf, placeWords } from './question-page.js';

/** Maximum width of a question and of a title, in columns. */
const ASKED_COLUMNS = 160;
const TITLE_COLUMNS = 80;

/** Options for a list, and the data needed for its rows. */
export interface ListView {
  readonly now: number;
  /** Words that each row must contain; empty for all rows. */
  readonly words: string;
  /** Whether the list is in reverse order. */
  readonly isTurned: boolean;
  /** Whether the list is too long to be reversed. */
  readonly isTooLong: boolean;
  /** Cursor after which this page of the list starts. */
  readonly after?: string;
  /** How each session was started, for the sessions whose start the visitor may see. */
  readonly beginnings: ReadonlyMap<SessionId, Beginning>;
}

/** Maximum number of rows that can be shown in reverse order. */
export const MOST_TURNED = 200;

/** Returns the page of open questions, oldest first. */
export function inboxPage({ items, next }: Listed<WaitingItem>, view: ListView): Page {
  const rows = items.map(({ session, title, folder, interrupt }) =>
    rowOf(view, {
      href: placeOf(session, interrupt.id),
      first: oneLineOf(interrupt, ASKED_COLUMNS),
      about: [
        plainLine(title, TITLE_COLUMNS),
        ...placeWords({ cwd: folder, ...view.beginnings.get(session) }),
      ],
      at: interrupt.raisedAt,
    }),
  );
  const some = `${count(items.length, 'question')}${next === undefined ? '' : ' and more'}`;
  const heading = items.length === 0 ? 'Questions' : some;
  return {
    title: heading,
    at: 'questions',
    main: listMain(view, {
      ...{ path: '/', heading, rows, next, items },
      orders: ['Oldest first', 'Newest first'],
      empty: 'No open questions. New ones appear here automatically.',
    }),
  };
}

/** Returns the page of sessions, newest first, with their open questions. */
export function sessionsPage(
  { items, next }: Listed<SessionSummary>,
  asked: ReadonlyMap<SessionId, readonly Interrupt[]>,
  view: ListView,
): Page {
  const rows = items.map(({ id, title, folder, status, waiting, updatedAt }) => {
    const [first] = asked.get(id) ?? [];
    return rowOf(view, {
      href: `/sessions/${id}`,
      first: title === '' ? escapeText(id) : plainLine(title, TITLE_COLUMNS),
      ...(first !== undefined && { asked: oneLineOf(first, ASKED_COLUMNS) }),
      about: [
        waiting > 0 ? `${status} · ${count(waiting, 'question')}` : status,
        ...placeWords({ cwd: folder, ...view.beginnings.get(id) }),
      ],
      at: updatedAt,
    });
  });
  return {
    title: 'Sessions',
    at: 'sessions',
    main: listMain(view, {
      ...{ path: '/sessions', heading: 'Sessions', rows, next, items },
      orders: ['Newest first', 'Oldest first'],
      empty: 'No sessions yet.',
    }),
  };
}

/** A row of a list. All of its text is escaped. */
interface Row {
  readonly href: string;
  readonly first: string;
  readonly asked?: string;
  readonly about: readonly string[];
  readonly at: string;
}

function rowOf({ now }: ListView, { href, first, asked, about, at }: Row): Html {
  const words = about.filter((text) => text !== '').join(' · ');
  return html`<li>
    <a class="card" href="${href}"
      ><span class="asked">${first}</span>
      <time datetime="${at}">${agoOf(at, now)}</time>
      ${asked !== undefined && html`<span class="waits">${asked}</span> `}<span class="dim about"
        >${words}</span
      ></a
    >
  </li>`;
}

/** Whether each word appears in one of the texts, ignoring case. */
export function hasWords(words: string, texts: readonly (string | undefined)[]): boolean {
  const all = texts.join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/u)
    .every((word) => all.includes(word));
}

/** The list on a page, with its filter and order. */
interface List {
  readonly path: '/' | '/sessions';
  readonly heading: string;
  readonly rows: readonly Html[];
  readonly next: string | undefined;
  /** The data shown in the list. If it changes, the displayed list is outdated. */
  readonly items: readonly unknown[];
  /** Labels for the default and the reverse order. */
  readonly orders: readonly [string, string];
  readonly empty: string;
}

function listMain(view: ListView, { path, heading, rows, next, items, orders, empty }: List): Html {
  const { words, isTurned, isTooLong } = view;
  const state = sha256(JSON.stringify([items, [...view.beginnings]])).slice(0, 16);
  const orderOf = (at: 0 | 1): Html => {
    const isCurrent = isTurned === (at === 1);
    return html`<a
      href="${addressOf(path, { words, isTurned: at === 1 })}"
      ${isCurrent && html`aria-current="true"`}
      >${orders[at]}</a
    >`;
  };
  const otherwise = words === '' ? empty : 'No matches.';
  return html`<main
    id="main"
    tabindex="-1"
    data-live="${addressOf(path, view)}"
    data-state="${state}"
    data-parts
  >
    <h1 tabindex="-1" data-part="heading">${heading}</h1>
    <form method="get" action="${path}" role="search" class="row filter">
      <label for="words" class="aloud">Filter by words</label
      ><input
        id="words"
        name="words"
        type="text"
        value="${words}"
        placeholder="Filter by words"
        maxlength="${MOST_WORDS}"
      />
      ${isTurned && html`<input type="hidden" name="order" value="turned" />`}<button>Filter</button>
      ${words !== '' && html`<a href="${addressOf(path, { words: '', isTurned })}">Show all</a>`}
    </form>
    <p class="orders dim">${orderOf(0)} ${orderOf(1)}</p>
    ${isTooLong && html`<p class="notice">More than ${MOST_TURNED} rows: ${orders[0].toLowerCase()}. Filter them to sort them.</p>`}
    <div data-part="list">
      ${
        rows.length === 0
          ? html`<p class="empty">${otherwise}</p>`
          : html`<ul class="list">
              ${rows}
            </ul>`
      }
      ${next !== undefined && html`<p><a class="next" href="${addressOf(path, { ...view, after: next })}">More</a></p>`}
    </div>
  </main>`;
}

/** Maximum length of a filter, in characters. */
export const MOST_WORDS = 200;

function addressOf(
  path: string,
  { words, isTurned, after }: Pick<ListView, 'words' | 'isTurned' | 'after'>,
): string {
  const query = new URLSearchParams({
    ...(words !== '' && { words }),
    ...(isTurned && { order: 'turned' }),
    ...(after !== undefined && { after }),
  }).toString();
  return query === '' ? path : `${path}?${query}`;
}

function agoOf(at: string, now: number): string {
  const age = now - Date.parse(at);
  return age >= 60_000 ? `${durationText(age)} ago` : 'just now';
}
