import type { Actor, Interrupt, Message, ResolvedInterrupt, RunState, SessionId } from '../../core/index.js';
import {
  actorName,
  assertNever,
  decidedWords,
  escapeText,
  isActor,
  limitOf,
  modeText,
  momentText,
  onOneLine,
  plainLine,
  sessionTitle,
  standingVotes,
  stateAt,
  textOf,
  titleOf,
} from '../../core/index.js';
import type { QuestionView } from '../../human/index.js';
import { oneLineOf, questionView, toolOf } from '../../human/index.js';
import type { Html } from './html.js';
import { html } from './html.js';
import type { Page } from './layout.js';
import { linesOf } from './lines.js';
import { prose } from './prose.js';
import type { Asked } from './way-form.js';
import { actionsRow } from './way-form.js';

/** The data for the page of a question. */
export interface QuestionShown {
  readonly session: SessionId;
  readonly state: RunState;
  /** Open questions in the session that the visitor may see. */
  readonly open: readonly Interrupt[];
  /** Whether the visitor may see the session itself. */
  readonly seesSession: boolean;
  /** The visitor. An edit by the visitor is marked; an edit by anyone else causes a warning. */
  readonly you?: Actor;
  readonly now: number;
  readonly formToken: string;
  /** Notice above the question, for example why an answer was refused. */
  readonly notice?: Notice;
  /** The submitted form if it was invalid. */
  readonly given?: URLSearchParams;
  /** The next question, offered after an answer. */
  readonly next?: NextQuestion;
}

/** Another question and its session. */
export interface NextQuestion {
  readonly session: SessionId;
  readonly interrupt: Interrupt;
}

/** A message above a question. */
export interface Notice {
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

/** Returns the path of the page for a question. */
export function placeOf(session: SessionId, id: string): string {
  return `/sessions/${session}/questions/${encodeURIComponent(id)}`;
}

/** Identifies the displayed state of an open question. If the value changes, the page is outdated. */
export function liveState({ id, digest }: Interrupt, state: RunState): string {
  return `${digest} ${standingVotes(state.votes, id).length}`;
}

/** Returns the page of an open question. */
export function questionPage(interrupt: Interrupt, shown: QuestionShown): Page {
  const { session, state, now, formToken, notice, given, you } = shown;
  // All of it is on the page: a page scrolls, and what is folded could be approved unseen.
  const view = questionView(interrupt, state, { limits: null, now, ...(you && { you }) });
  const asked: Asked = {
    view,
    state,
    tool: toolOf(interrupt, state),
    place: placeOf(session, interrupt.id),
    formToken,
    ...(given !== undefined && { given }),
  };
  const heading = headingOf(view);
  return {
    title: `${heading} ${plainLine(view.title, TITLE_COLUMNS)}`,
    at: 'questions',
    main: html`<main
      id="main"
      tabindex="-1"
      data-live="${asked.place}"
      data-state="${liveState(interrupt, state)}"
      data-open${given !== undefined && html` data-keep`}
    >
      ${noticeOf(notice)}${nextOf(shown)}${before(shown, interrupt)}
      <h1 id="asked" tabindex="-1">${heading}</h1>
      ${questionCard(view)}
      <section aria-labelledby="asked">${actionsRow(asked)}</section>
      <p class="dim">Question ${interrupt.id} · at a terminal: <code>hitl resume ${session}</code></p>
    </main>`,
  };
}

/** Maximum width of a title in the window title, in columns. */
const TITLE_COLUMNS = 100;

/**
 * Returns the heading, which asks the question in our own words. Untrusted text is shown in the card below
 * it.
 */
export function headingOf({ decision, interrupt }: Pick<QuestionView, 'decision' | 'interrupt'>): string {
  switch (interrupt.kind) {
    case 'confirmation':
      return decision;
    case 'question':
      return 'Your answer?';
    case 'in-doubt':
      return 'What happened?';
    case 'error':
      return 'Try again?';
    case 'gate':
      return 'Continue?';
    case 'pause':
      return 'Continue the run?';
    case 'limit':
      return limitOf(interrupt) === 'context' ? 'Compact and continue?' : 'Raise the limit?';
    default:
      return assertNever(interrupt.kind);
  }
}

/**
 * Maximum width of a name and of the user's last message above a question, in columns, and the maximum length
 * of the model's last message, in characters.
 */
const NAME_COLUMNS = 80;
const SAID_COLUMNS = 240;
const LAST_WORDS = 1_000;

/**
 * Renders the context that a terminal shows above a question: the session, the requesters and mode, and the
 * last messages. If the visitor may see only the question, renders just the title of the session.
 */
function before({ session, state, seesSession }: QuestionShown, { path }: Interrupt): Html {
  const title = plainLine(sessionTitle(state) || session, NAME_COLUMNS);
  if (!seesSession) return html`<p class="crumb">In ${title}</p>`;
  const { requesters = [] } = state;
  const names = plainLine(requesters.map(({ name }) => name).join(', '), NAME_COLUMNS);
  const facts = [...sessionFacts(state), ...(requesters.length === 0 ? [] : [`requested by ${names}`])];
  const inside = stateAt(state, path) ?? state;
  const user = lastWords(inside, 'user') || lastWords(state, 'user');
  const model = lastWords(inside, 'model') || lastWords(state, 'model');
  return html`<section class="before" aria-label="Before this question">
    <p class="crumb"><a href="/sessions/${session}">${title}</a></p>
    <p class="dim">${facts.join(' · ')}</p>
    ${user !== '' && html`<p class="said user"><b>user</b> ${plainLine(onOneLine(user), SAID_COLUMNS)}</p>`}
    ${
      model !== '' &&
      html`<div class="said model">
        <b>model</b>
        ${prose(model.length > LAST_WORDS ? `… ${model.slice(-LAST_WORDS)}` : model)}
      </div>`
    }
  </section>`;
}

/** Returns a session's folder, model and mode as safe text. */
export function sessionFacts({ cwd, agent }: RunState): readonly string[] {
  return [...placeWords({ cwd, model: agent?.model }), modeText(agent?.mode ?? 'ask')];
}

/** Model name of a workflow that does not have its own model. */
const NO_MODEL = 'none';

/** Returns a session's folder and model as safe text. */
export function placeWords({
  cwd,
  model,
}: {
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
}): readonly string[] {
  return [cwd, model === NO_MODEL ? undefined : model].flatMap((name) =>
    name === undefined ? [] : [plainLine(name, NAME_COLUMNS)],
  );
}

/**
 * Returns the text of the last message from a role in a run. This includes the text that the model wrote
 * before calls that are still open.
 */
function lastWords({ entries, open }: RunState, role: Message['role']): string {
  const isSaid = (message: Message): boolean => message.role === role && textOf(message).trim() !== '';
  const found =
    open !== undefined && isSaid(open.message)
      ? open.message
      : entries.findLast(({ message }) => isSaid(message))?.message;
  return found === undefined ? '' : textOf(found).trim();
}

/** Renders the question and its effect. Details that are the same for every call are folded. */
function questionCard(view: QuestionView): Html {
  const { title, origin, mark, position, brief, details } = view;
  const effects = details.filter(({ part }) => part === 'effect');
  const others = details.filter(({ part }) => part !== 'effect');
  const place = position === undefined ? undefined : `${position.index} of ${position.count}`;
  const aside = [mark, origin, place ?? ''].filter((text) => text !== '').join(' · ');
  return html`<article class="card question ${lookOf(view.interrupt)}" aria-label="What is asked about">
    <header>
      <p class="what">${title}</p>
      ${aside !== '' && html`<span class="dim">${aside}</span>`}
    </header>
    ${linesOf(brief.all)}
    <div>${linesOf(effects)}</div>
    ${
      others.length > 0 &&
      html`<details>
        <summary>Details</summary>
        ${linesOf(others)}
      </details>`
    }
  </article>`;
}

/** Renders a link to the next question, if there is one. */
function nextOf({ next }: QuestionShown): Html | undefined {
  return (
    next &&
    html`<p class="row">
      <a class="next starts" href="${placeOf(next.session, next.interrupt.id)}">Next question</a>
      <span class="dim grow">${oneLineOf(next.interrupt, COLUMNS)}</span>
    </p>`
  );
}

/** Maximum width of the next question's text, in columns. */
const COLUMNS = 100;

/** Returns the style for a kind of question. It matches the line above the question on a terminal. */
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

/** Renders a notice above a page; empty if there is none. */
export function noticeOf(notice: Notice | undefined): Html | undefined {
  return notice && html`<p class="notice ${notice.kind}" role="alert">${notice.text}</p>`;
}

/** Renders the title of a session, as a link if the visitor may see the session. */
function sessionName({ session, state, seesSession }: QuestionShown): Html {
  const title = plainLine(sessionTitle(state) || session, NAME_COLUMNS);
  return seesSession ? html`<a href="/sessions/${session}">${title}</a>` : html`${title}`;
}

/** Describes a decision and who made it, in the same words as a terminal. */
function decisionText({ interrupt, resolution, by }: ResolvedInterrupt): string {
  const { verb, what, given } = decidedWords(interrupt, resolution);
  return [`${escapeText(actorName(by))} ${verb}`, what, given].filter((piece) => piece !== '').join('  ');
}

/**
 * Describes a decision, who made it and through which channel. It is displayed below the subject of the
 * decision and does not repeat it.
 */
export function deciderText({ interrupt, resolution, by }: ResolvedInterrupt): string {
  const { verb, given } = decidedWords(interrupt, resolution);
  const via = isActor(by) && by.type === 'person' ? VIA[by.via] : '';
  return [`${escapeText(actorName(by))} ${verb}`, given, via].filter((piece) => piece !== '').join(' ');
}

/** Formats a journal timestamp for people: `2026-01-31 14:02 UTC`. Anything else is escaped. */
export function shownTime(at: string): string {
  return escapeText(momentText(at));
}

/** Returns the page for a question that has been answered. */
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
        <p class="dim">${resolvedAt !== undefined && shownTime(resolvedAt)}${via}</p>
      </div>
      ${nextOf(shown)}
      ${
        open.length > 0
          ? html`<h2>More questions in this session</h2>
              <ul class="list">
                ${next}
              </ul>`
          : html`<p class="dim">
              No other open questions in ${sessionName(shown)}. It continues where it is running, in a worker,
              or with <code>hitl resume ${session}</code>.
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
  editor: 'in an editor',
} as const;
