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

/** A displayed question: its session, time, and notice. */
export interface QuestionShown {
  readonly session: SessionId;
  readonly state: RunState;
  /** The open questions of the session that they see. */
  readonly open: readonly Interrupt[];
  /** Whether the session itself is visible. */
  readonly seesSession: boolean;
  /** The visitor: their own change of a call is marked, that of somebody else warned of. */
  readonly you?: Actor;
  readonly now: number;
  readonly formToken: string;
  /** Notice above it, for example why an answer was refused. */
  readonly notice?: Notice;
  /** The submitted form, if it was invalid. */
  readonly given?: URLSearchParams;
  /** The next question, offered after an answer. */
  readonly next?: NextQuestion;
}

/** Another question, and its session. */
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

/** The page of a question that is open. */
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

/** The columns of a title in the name of a window. */
const TITLE_COLUMNS = 100;

/** What is asked, in words of ours alone: those from outside are in the card below. */
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

/** The columns of a name above a question, and of what was said before it; the characters of the model’s last words. */
const NAME_COLUMNS = 80;
const SAID_COLUMNS = 240;
const LAST_WORDS = 1_000;

/**
 * What a terminal has above a question: the session, who asks in which mode, and the last words. Whoever sees the question
 * alone gets the title of the session and nothing else of it.
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

/** Where a session works, with which model and in which mode, in safe text. */
export function sessionFacts({ cwd, agent }: RunState): readonly string[] {
  return [...placeWords({ cwd, model: agent?.model }), modeText(agent?.mode ?? 'ask')];
}

/** The name of the model of a workflow that has none of its own. */
const NO_MODEL = 'none';

/** The folder and the model of a session, in safe text. */
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

/** The last words of somebody in a run; of a model also those before its open calls. */
function lastWords({ entries, open }: RunState, role: Message['role']): string {
  const isSaid = (message: Message): boolean => message.role === role && textOf(message).trim() !== '';
  const found =
    open !== undefined && isSaid(open.message)
      ? open.message
      : entries.findLast(({ message }) => isSaid(message))?.message;
  return found === undefined ? '' : textOf(found).trim();
}

/** The question itself with its effect, and what is the same at every call behind a fold. */
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

/** Offers the next question, if there is one. */
function nextOf({ next }: QuestionShown): Html | undefined {
  return (
    next &&
    html`<p class="row">
      <a class="next starts" href="${placeOf(next.session, next.interrupt.id)}">Next question</a>
      <span class="dim grow">${oneLineOf(next.interrupt, COLUMNS)}</span>
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

/** Some words above a page; nothing where there are none. */
export function noticeOf(notice: Notice | undefined): Html | undefined {
  return notice && html`<p class="notice ${notice.kind}" role="alert">${notice.text}</p>`;
}

/** The title of a session, and a link where they see it. */
function sessionName({ session, state, seesSession }: QuestionShown): Html {
  const title = plainLine(sessionTitle(state) || session, NAME_COLUMNS);
  return seesSession ? html`<a href="/sessions/${session}">${title}</a>` : html`${title}`;
}

/** Says who decided what, in the words of a terminal. */
function decisionText({ interrupt, resolution, by }: ResolvedInterrupt): string {
  const { verb, what, given } = decidedWords(interrupt, resolution);
  return [`${escapeText(actorName(by))} ${verb}`, what, given].filter((piece) => piece !== '').join('  ');
}

/** The same below what was decided about, which is not said again; and how it came. */
export function deciderText({ interrupt, resolution, by }: ResolvedInterrupt): string {
  const { verb, given } = decidedWords(interrupt, resolution);
  const via = isActor(by) && by.type === 'person' ? VIA[by.via] : '';
  return [`${escapeText(actorName(by))} ${verb}`, given, via].filter((piece) => piece !== '').join(' ');
}

/** A time of the journal for people: `2026-01-31 14:02 UTC`; anything else is quoted. */
export function shownTime(at: string): string {
  return escapeText(momentText(at));
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
