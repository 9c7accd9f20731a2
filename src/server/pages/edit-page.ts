import type { JsonValue, Way } from '../../core/index.js';
import { shownChange } from '../../core/index.js';
import type { Warning } from '../../human/index.js';
import { differenceLines, differences, passedOn, warningLine, warningsOf } from '../../human/index.js';
import { html } from './html.js';
import type { Page } from './layout.js';
import { linesOf } from './lines.js';
import { liveState } from './question-page.js';
import type { Asked } from './way-form.js';
import { hiddenInputs, wayForm } from './way-form.js';

/** An edit to review before it is applied. */
export interface ShownEditPage {
  readonly asked: Asked;
  readonly way: Way;
  readonly before: JsonValue;
  readonly after: JsonValue;
  /** The exact value to apply. */
  readonly json: string;
}

/** Returns the page that shows the changes made by an edit and asks for confirmation. */
export function editPage({ asked, way, before, after, json }: ShownEditPage): Page {
  const { view, place, tool } = asked;
  const { interrupt } = view;
  const schema = way.takes === 'input' ? (interrupt.inputSchema ?? tool?.inputSchema) : undefined;
  const lines = differenceLines(differences(...shownChange(before, after, schema)));
  const warned = way.takes === 'input' ? newWarnings(before, after) : [];
  const isSame = lines.length === 0;
  const passed = way.action === 'restart' ? passedOn(interrupt) : undefined;
  const verb = isSame ? 'No changes.' : 'Your change:';
  const label = way.takes === 'input' ? (interrupt.kind === 'error' ? 'retry' : 'approve') : 'use this';
  const send =
    passed === undefined
      ? html`<form method="post" action="${place}/answer" data-yes>
          ${hiddenInputs(asked, way.key)}<input type="hidden" name="json" value="${json}" />
          <p><button class="starts">${isSame ? `${label} as it was` : `${label} with this`}</button></p>
        </form>`
      : html`<p class="dim">This tool needs extra input to approve. Edit it in a terminal.</p>`;
  return {
    title: `Edit: ${view.title}`,
    at: 'questions',
    main: html`<main
      id="main"
      tabindex="-1"
      data-live="${place}"
      data-state="${liveState(interrupt, asked.state)}"
      data-open
      data-keep
    >
      <h1 tabindex="-1">${way.takes === 'input' ? 'Approve with your change?' : 'Use your change?'}</h1>
      <article class="card question" aria-label="Your change">
        <p class="what">${view.title}</p>
        <p class="dim">${verb}</p>
        ${linesOf([...lines, ...warned.map(warningLine)])}
        ${way.takes === 'input' && !isSame && html`<p class="dim">Details are resolved again when you submit. You may be asked again.</p>`}
      </article>
      ${!isSame || way.takes === 'input' ? send : undefined}
      <h2>Or change it again</h2>
      <div class="acts">${wayForm(asked, way)}</div>
      <p><a href="${place}">Back to the question</a></p>
    </main>`,
  };
}

/** Returns the warnings that do not apply to the original value. */
function newWarnings(before: JsonValue, after: JsonValue): readonly Warning[] {
  const known = new Set(warningsOf(before).map(keyOf));
  return warningsOf(after).filter((warning) => !known.has(keyOf(warning)));
}

function keyOf({ kind, place, message }: Warning): string {
  return `${kind} ${place} ${message}`;
}
