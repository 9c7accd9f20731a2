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

/** A displayed question: its session, time, and notice. */
export interface QuestionShown {
  readonly session: SessionId;
  readonly state: RunState;
  /** The open questions of the session that they see. */
  readonly open: readonly Interrupt[];
  /** Whether the session itself is visible. */
  readonly seesSession: boolean;
  readonly now: number;
  readonly formToken: string;
  /** Notice above it, for example why an answer was refused. */
  readonly notice?: Notice;
  /** The submitted form, if it was invalid. */
  readonly given?: URLSearchParams;
  /** The next question, offered after an answer. */
  readonly next?: NextQuestion;
}

/** Another question, and whose it is. */
export interface NextQuestion {
  readonly session: SessionId;
  readonly interrupt: Interrupt;
}

/** A message above a question. */
export interface Notice {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

/** The address of a question. */
export function placeOf(session: SessionId, id: string): string {
  return `/sessions/${session}/questions/${encodeURIComponent(id)}`;
}

/** Identifies a displayed open question: if it differs, the page is outdated. */
export function liveState({ id, digest }: Interrupt, state: RunState): string {
  return `${digest} ${standingVotes(state.votes, id).length}`;
}

/** Number of unfolded actions. */
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

/** Renders a question: what must be seen first, and the rest folded. */
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
 * Returns the call's effect, and whether it may have run: unfolded, like on a terminal, each line once. An
 * approval covers what is above it.
 */
function effectsOf({ brief, lines }: QuestionView): readonly QuestionLine[] {
  return lines.filter(({ part, text }) => part === 'effect' && !brief.all.some((line) => line.text === text));
}

/** Offers the next question, if there is one. */
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

/** Returns the style of a question's kind, like a terminal's rule. */
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

/** Returns a session's title, with a link if it is visible. */
function sessionName({ session, state, seesSession }: QuestionShown): Html {
  const title = escapeText(state.title ?? session);
  return seesSession ? html`<a href="/sessions/${session}">${title}</a>` : html`${title}`;
}

/** Describes who decided what, like a terminal. */
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
