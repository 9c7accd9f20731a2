// One content of a question, laid out by every door: a door that shows less of it offers no yes.
import { describe, expect, test } from 'vitest';

import { dialogOf } from '../../commands/acp/dialog.js';
import { isJsonObject, openInterrupts } from '../../src/core/index.js';
import type { Interrupt, JsonObject, JsonValue, RunState, SessionId } from '../../src/core/index.js';
import { questionView } from '../../src/human/index.js';
import { questionInLines } from '../../src/human/look/question-in-lines.js';
import { mailChannel, slackChannel } from '../../src/outgoing/index.js';
import type { Message } from '../../src/outgoing/channel.js';
import { interruptOf } from '../../src/server/agui/agui-events.js';
import { questionPage } from '../../src/server/pages/question-page.js';
import { playedPost } from '../outgoing/played.js';
import { SHOWN_AT, SHOWN_SCENES } from '../server/shown-scenes.js';

const PAGE = 'https://hitl.example.org/sessions/s1/questions/i1';

interface Shown {
  /** All that somebody reads there. */
  readonly text: string;
  /** Whether an approval can be given there. */
  readonly offersYes: boolean;
  /** Whether it leads to the page. */
  readonly links: boolean;
  /** The time at which it is looked at; absent where nobody looks now. */
  readonly now?: number;
}

function messageOf(interrupt: Interrupt, state: RunState): Message {
  const session = 's1' as SessionId;
  const item = { session, title: 'About it', interrupt };
  return { id: 'm1', event: 'interrupt.raised', at: SHOWN_AT, item, state, page: PAGE } as never;
}

const withoutMarks = (page: string): string =>
  page
    .replaceAll(/<[^>]*>/gu, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

const textsIn = (value: JsonValue): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : Array.isArray(value)
      ? value.flatMap((one: JsonValue) => textsIn(one))
      : isJsonObject(value)
        ? Object.values(value).flatMap(textsIn)
        : [];

const DOORS: Readonly<Record<string, (interrupt: Interrupt, state: RunState) => Shown | Promise<Shown>>> = {
  lines: (interrupt, state) => ({
    text: questionInLines(questionView(interrupt, state, { limits: null, now: SHOWN_AT }), 1_000_000),
    offersYes: true,
    links: false,
    now: SHOWN_AT,
  }),
  page: (interrupt, state) => {
    const shown = {
      session: 's1' as SessionId,
      state,
      now: SHOWN_AT,
      formToken: 'f',
      open: openInterrupts(state),
      seesSession: true,
    };
    const main = questionPage(interrupt, shown).main.toString();
    // What is folded is not shown.
    const card = main
      .slice(main.indexOf('<article'), main.indexOf('</article>'))
      .replace(/<details[^]*/u, '');
    const ways = main.slice(main.indexOf('<section'));
    return {
      text: withoutMarks(`${card} ${ways}`),
      offersYes: main.includes('data-yes'),
      links: true,
      now: SHOWN_AT,
    };
  },
  Slack: async (interrupt, state) => {
    const post = playedPost(200);
    const to = { type: 'url', url: 'https://hooks.slack.example/x' } as const;
    await slackChannel({ name: 'slack', to, hasWayBack: true, tellsResolved: true, allow: [] }, post).send(
      messageOf(interrupt, state),
    );
    const sent = JSON.parse(post.sent[0]!.body) as JsonObject;
    const raw = JSON.stringify(sent);
    return {
      text: withoutMarks(textsIn(sent['blocks'] ?? []).join('\n')),
      offersYes: raw.includes('"action_id":"approve"'),
      links: raw.includes(PAGE),
    };
  },
  mail: async (interrupt, state) => {
    let text = '';
    const to = { name: 'mail', server: 'smtps://m.example', from: 'a@x', to: ['b@x'], tellsResolved: true };
    await mailChannel(to, (_server, mail) => {
      text = mail.text;
      return Promise.resolve();
    }).send(messageOf(interrupt, state));
    return { text, offersYes: text.includes('/answer'), links: text.includes(PAGE) };
  },
  'AG-UI': (interrupt, state) => {
    const { metadata } = interruptOf(interrupt, state) as {
      metadata: { shown: string[]; allowed: string[] };
    };
    return { text: metadata.shown.join('\n'), offersYes: metadata.allowed.includes('restart'), links: false };
  },
  editor: (interrupt, state) => {
    const place = { folder: '/work', home: '/home/ann' };
    const asked = { session: 's1' as SessionId, state, cwd: '/work', rules: [], place, now: SHOWN_AT };
    const { toolCall, offers } = dialogOf(interrupt, asked);
    const text = (toolCall.content ?? [])
      .map((one) => (one.type === 'content' && one.content.type === 'text' ? one.content.text : ''))
      .join('\n');
    const offersYes = offers.some(({ option: { kind } }) => kind !== 'reject_once');
    return { text, offersYes, links: text.includes('hitl show s1'), now: SHOWN_AT };
  },
};

/** Text without what a layout adds: spaces, bars and its own sign for a line that goes on. */
const bare = (text: string): string => text.replaceAll(/[\s│┆|:−-]+/gu, '');

/** Every name, value, fact, warning and word of the content. */
function contentOf(interrupt: Interrupt, state: RunState, now: number | undefined): readonly string[] {
  const options = { limits: null, ...(now !== undefined && { now }) };
  const { title, origin, brief, choices } = questionView(interrupt, state, options);
  const lines = brief.all.flatMap(({ label = '', text, note = '', isPlainOnly }) =>
    isPlainOnly === true ? [] : [label, text, note],
  );
  const chosen = choices.flatMap(({ label, description = '' }) => [label, description]);
  return [title, origin, ...lines, ...chosen].filter((text) => bare(text) !== '');
}

describe.for(Object.entries(DOORS))('a question by %s', ([, shownBy]) => {
  test.for([...SHOWN_SCENES.keys()])(
    'is there with all of its content, or leads elsewhere in place of a yes: %s',
    async (name) => {
      const { open, state } = SHOWN_SCENES.get(name)!;
      for (const interrupt of open) {
        const whole: RunState = { ...state, graph: { waiting: () => open } as never };
        const { text, offersYes, links, now } = await shownBy(interrupt, whole);
        const all = bare(text);
        const missing = contentOf(interrupt, whole, now).filter((piece) => !all.includes(bare(piece)));
        expect(offersYes || !links ? missing.map((piece) => piece.slice(0, 80)) : []).toEqual([]);
      }
    },
  );
});
