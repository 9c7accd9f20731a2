import type { Interrupt, ResolvedInterrupt, RunState, SessionId } from '../../core/index.js';
import {
  actorName,
  assertNever,
  decidedWords,
  escapeText,
  standingVotes,
  titleOf,
} from '../../core/index.js';
import type { QuestionLine, QuestionView } from '../../human/index.js';
import { oneLineOf, questionView, toolOf } from '../../human/index.js';
import type { Html } from './html.js';
import { html } from './html.js';
import type { Page } from './layout.js';
import { linesOf } from './lines.js';
import type { Asked } from './way-form.js';
import { wayForm } from './way-form.js';

/** A question that is shown: whose it is, when, and what is said above it. */
export interface QuestionShown {
  readonly session: SessionId;
  readonly state: RunState;
  /** The open questions of the session that they see. */
  readonly open: readonly Interrupt[];
  /** They see the session itself, too. */
  readonly seesSession: boolean;
  readonly now: number;
  readonly formToken: string;
  /** The words above it, such as why an answer did not count. */
  readonly notice?: Notice;
  /** The form as it was sent, where it did not fit. */
  readonly given?: URLSearchParams;
  /** The question that is offered once something was said to this one. */
  readonly next?: NextQuestion;
}

/** Another question, and whose it is. */
export interface NextQuestion {
  readonly session: SessionId;
  readonly interrupt: Interrupt;
}

/** Some words above a question. */
export interface Notice {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

/** The address of a question. */
export function placeOf(session: SessionId, id: string): string {
  return `/sessions/${session}/questions/${encodeURIComponent(id)}`;
}

/** Names what a page shows of an open question: where it is another one, the page is not true any more. */
export function liveState({ id, digest }: Interrupt, state: RunState): string {
  return `${digest} ${standingVotes(state.votes, id).length}`;
}

/** The ways to answer that are not behind a fold. */
const WAYS_AT_ONCE = 3;

/** The page of a question that is open. */
export function questionPage(interrupt: Interrupt, shown: QuestionShown): Page {
  const { session, state, now, formToken, notice, given } = shown;
  // All of it is on the page: a page scrolls, and what is folded could be approved unseen.
  const view = questionView(interrupt, state, { limits: null, now });
  const asked: Asked = {
    view,
    state,
    tool: toolOf(interrupt, state),
    place: placeOf(session, interrupt.id),
    formToken,
    ...(given !== undefined && { given }),
  };
  // A way that is seldom wanted does not crowd the rest.
  const [first, more] = [view.ways.slice(0, WAYS_AT_ONCE), view.ways.slice(WAYS_AT_ONCE)];
  const folded =
    more.length > 0 &&
    html`<details>
      <summary>More actions</summary>
      <div class="ways">${more.map((way) => wayForm(asked, way))}</div>
    </details>`;
  return {
    title: view.title,
    at: 'questions',
    main: html`<main
      id="main"
      tabindex="-1"
      data-live="${asked.place}"
      data-state="${liveState(interrupt, state)}"
      data-open${given !== undefined && html` data-keep`}
    >
      ${noticeOf(notice)}${nextOf(shown)}${questionCard(view)}
      <section aria-labelledby="decide">
        <h2 id="decide">${view.decision}</h2>
        <div class="ways">${first.map((way) => wayForm(asked, way))}</div>
        ${folded}
      </section>
      ${belongsTo(shown, interrupt.id)}
    </main>`,
  };
}

/** The question itself: what has to be seen first, and everything else behind a fold. */
function questionCard(view: QuestionView): Html {
  const { title, origin, position, brief, heading, lines } = view;
  const place = position === undefined ? undefined : `${position.index} of ${position.count}`;
  const aside = [origin, place ?? ''].filter((text) => text !== '').join(' · ');
  return html`<article class="card question ${lookOf(view.interrupt)}" aria-labelledby="title">
    <header>
      <h1 id="title" tabindex="-1">${title}</h1>
      ${aside !== '' && html`<span class="dim">${aside}</span>`}
    </header>
    ${linesOf(brief.all)}
    <div>${linesOf(effectsOf(view))}</div>
    <details>
      <summary>Full details</summary>
      <p class="dim">${heading}</p>
      ${linesOf(lines)}
    </details>
  </article>`;
}

/**
 * What a run of it does, and whether it may have run: in the open, as a terminal has it, and each line once. A yes is for
 * what stands above it.
 */
function effectsOf({ brief, lines }: QuestionView): readonly QuestionLine[] {
  return lines.filter(({ part, text }) => part === 'effect' && !brief.all.some((line) => line.text === text));
}

/** Offers the next question; nothing where there is none. */
function nextOf({ next }: QuestionShown): Html | undefined {
  return (
    next &&
    html`<p>
      <a class="next" href="${placeOf(next.session, next.interrupt.id)}">Next question</a>
      <span class="dim">${oneLineOf(next.interrupt, COLUMNS)}</span>
    </p>`
  );
}

/** The letters of the next question that are shown. */
const COLUMNS = 100;

/** The look of what is asked, as the rule beside it has on a terminal. */
function lookOf({ kind }: Interrupt): string {
  switch (kind) {
    case 'question':
      return 'calm';
    case 'confirmation':
    case 'gate':
      return 'ask';
    case 'in-doubt':
    case 'error':
      return 'grave';
    case 'pause':
    case 'limit':
      return 'stop';
    default:
      return assertNever(kind);
  }
}

function noticeOf(notice: Notice | undefined): Html | undefined {
  return notice && html`<p class="notice ${notice.kind}" role="alert">${notice.text}</p>`;
}

/** The session that a question belongs to, and where else it can be answered. */
function belongsTo(shown: QuestionShown, id: string): Html {
  const { session } = shown;
  return html`<p class="dim">
    In ${sessionName(shown)} · question ${id} · at a terminal:
    <code>hitl resume ${session}</code>
  </p>`;
}

/** The title of a session, and a link where they see it. */
function sessionName({ session, state, seesSession }: QuestionShown): Html {
  const title = escapeText(state.title ?? session);
  return seesSession ? html`<a href="/sessions/${session}">${title}</a>` : html`${title}`;
}

/** Says who decided what, in the words of a terminal. */
export function decisionText({ interrupt, resolution, by }: ResolvedInterrupt): string {
  const { verb, what, given } = decidedWords(interrupt, resolution);
  return [`${escapeText(actorName(by))} ${verb}`, what, given].filter((piece) => piece !== '').join('  ');
}

/** The page of a question that was answered. */
export function answeredPage(resolved: ResolvedInterrupt, shown: QuestionShown): Page {
  const { session, notice, open, next: offered } = shown;
  const { interrupt, resolution, by, resolvedAt } = resolved;
  const isAgreed = resolution.action !== 'reject' && resolution.action !== 'cancel';
  const via = by.type === 'person' ? ` · ${VIA[by.via]}` : '';
  const next = open.map(
    (one) =>
      html`<li>
        <a class="card" href="${placeOf(session, one.id)}"><span class="asked">${titleOf(one).text}</span></a>
      </li>`,
  );
  return {
    title: 'Answered',
    at: 'questions',
    main: html`<main
      id="main"
      tabindex="-1"
      data-live="${placeOf(session, interrupt.id)}"
      data-state="answered ${open.map(({ id }) => id).join(' ')} ${offered?.session ?? ''} ${offered?.interrupt.id ?? ''}"
    >
      ${noticeOf(notice)}
      <h1 tabindex="-1">${isAgreed ? '✓' : '✗'} Answered</h1>
      <div class="card question ${isAgreed ? 'calm' : 'stop'}">
        <p>${decisionText(resolved)}</p>
        <p class="dim">${resolvedAt}${via}</p>
      </div>
      ${nextOf(shown)}
      ${
        open.length > 0
          ? html`<h2>More questions in this session</h2>
              <ul class="list">
                ${next}
              </ul>`
          : html`<p class="dim">
              No other open questions in ${sessionName(shown)}. It goes on where it is running, with
              <code>hitl resume ${session}</code>, or by a worker.
            </p>`
      }
      <p><a href="/">All questions</a></p>
    </main>`,
  };
}

const VIA = {
  terminal: 'at the terminal',
  answer: 'from another terminal',
  library: 'by a program',
  web: 'in a browser',
  slack: 'in Slack',
  'ag-ui': 'in another client',
} as const;
