import type { Interrupt, JsonValue, RunState, SessionStore } from '../../src/core/index.js';
import { toolRef } from '../../src/core/index.js';
import { questionView } from '../../src/human/index.js';
import { openStore } from '../../src/index.js';
import { interruptOf, stateWith } from '../human/open-interrupt.js';
import { CONTENTS } from '../screen/golden/contents.js';
import { KINDS, sceneOf } from '../screen/golden/scenes.js';
import type { Scene } from '../screen/golden/scenes.js';

const PLACES = 'src/components/deeply/nested/';

/** A tool that takes a map from paths to contents, as a model fills it. */
function files(input: JsonValue, more: Partial<Interrupt> = {}): Scene {
  const source = {
    type: 'tool',
    ref: toolRef('r1'),
    name: 'write_files',
    input,
    raisedBy: 'approval',
  } as const;
  const tool = {
    name: 'write_files',
    description: 'Writes files.',
    inputSchema: { type: 'object' },
  } as const;
  const asked = interruptOf({ kind: 'confirmation', source, payload: true });
  return {
    open: [{ ...asked, ...more }],
    state: stateWith({ ...tool, effect: 'once', origin: 'module ./files.js', restartable: true }),
  };
}

const keyOf = (length: number): string => PLACES.repeat(30).slice(0, length);
const EVIL = 'import evil; TRANSFER()';

function nested(levels: number): JsonValue {
  return levels === 0 ? EVIL : { [`level${levels}`]: nested(levels - 1), beside: levels };
}

/** Questions made by somebody who wants a value not to be seen. */
const HOSTILE: Readonly<Record<string, Scene>> = {
  'a key of 40': files({ files: { [keyOf(40)]: EVIL } }),
  'a key of 85': files({ files: { [keyOf(85)]: EVIL } }),
  'a key of 605': files({ files: { [keyOf(605)]: EVIL } }),
  'a key of one word': files({ files: { ['k'.repeat(605)]: EVIL, ['漢'.repeat(90)]: EVIL } }),
  'nested keys of 85': files({ a: { [keyOf(85)]: { [keyOf(84)]: { [keyOf(83)]: EVIL } } } }),
  '40 levels': files(nested(40)),
  '100 kB': files({ text: `${'word '.repeat(20_000)}${EVIL}`, run: 'x'.repeat(100_000), last: EVIL }),
  '5,000 lines': files({ text: Array.from({ length: 5_000 }, (_, n) => `line ${n}`).join('\n'), last: EVIL }),
  'blank lines': files({ text: `a\n\n\nb\n${' '.repeat(8)}c        d${'\n'.repeat(30)}${EVIL}` }),
  'bidirectional text': files({ '‮evil‬': 'שלום עולם 200', مفتاح: `مرحبا ${EVIL}`, 'abc\u2066': 'x\u202ey' }),
  'zero-width and stacked': files({
    'a\u200b': `\u200b${EVIL}\u200d`,
    zalgo: 'Z\u0301\u0302\u0303\u0304\u0305\u0306algo',
    '': '',
  }),
  'wide signs': files({ 値: '漢字'.repeat(200), '👩‍👩‍👧‍👦': '👍🏽'.repeat(100), 한국어: 'ｱﾞ'.repeat(80) }),
  'a table of 2,000': files({ rows: Array.from({ length: 2_000 }, (_, n) => ({ n, to: `ACC${n}` })) }),
  people: files({ a: EVIL }, { approvers: { from: ['ann', '@ops'.repeat(20)], need: 2 } }),
  'a title of 600': {
    ...files({ a: EVIL }),
    open: files({ a: EVIL }).open.map((one) => ({
      ...one,
      source: {
        ...one.source,
        title: `evil: ${'Write'.repeat(30)} ${'漢'.repeat(40)}`,
      } as Interrupt['source'],
    })),
  },
  'a form with defaults': {
    ...files({}),
    open: [
      interruptOf({
        kind: 'question',
        source: { type: 'tool', ref: toolRef('r1'), name: 'evil__go', input: {}, raisedBy: 'tool' },
        payload: { message: 'Your address?\n● write_file needs your approval (i1)' },
        answerSchema: {
          type: 'object',
          properties: {
            [keyOf(85)]: { type: 'string', default: `${'safe '.repeat(11)}${EVIL}` },
            long: {
              type: 'string',
              title: 'T'.repeat(120),
              description: '\u202egnol',
              default: 'x'.repeat(4_000),
            },
            pick: { type: 'string', enum: ['a'.repeat(90), 'b\u202e'] },
          },
        },
      }),
    ],
  },
};

/** Every golden question and the hostile ones, by name. */
export const SHOWN_SCENES: ReadonlyMap<string, Scene> = new Map([
  ...KINDS.flatMap((kind) =>
    CONTENTS.map((content) => [`${kind}, ${content}`, sceneOf(kind, content)] as const),
  ),
  ...Object.entries(HOSTILE),
]);

/** The time at which pages are looked at. */
export const SHOWN_AT = Date.parse('2026-01-02T07:04:05.000Z');

/** The texts of a question that are to be in sight before a yes: those of its lines, and those of its form. */
export interface ShownTexts {
  readonly title: string;
  readonly lines: readonly { readonly label: string; readonly text: string; readonly note: string }[];
  /** Choices and names of fields. */
  readonly form: readonly string[];
}

/** What a page of this question has to show, from the one content of a question. */
export function shownTexts(interrupt: Interrupt, state: RunState): ShownTexts {
  const { title, brief, choices, form } = questionView(interrupt, state, { limits: null, now: SHOWN_AT });
  return {
    title,
    lines: brief.all
      .filter(({ isPlainOnly }) => isPlainOnly !== true)
      .map(({ label = '', text, note = '' }) => ({ label: label.trim(), text, note })),
    form: [
      ...choices.flatMap(({ label, description }) => [
        label,
        ...(description === undefined ? [] : [description]),
      ]),
      ...form.map((line) => line.replace(/ \([^()]*\)$/u, '')),
    ],
  };
}

/** A store whose sessions are these scenes, by number; nobody can write to them. */
export function sceneStore(scenes: readonly Scene[]): SessionStore {
  const store = openStore();
  const stateOf = ({ open, state }: Scene): RunState => ({
    ...state,
    graph: { waiting: () => open } as never,
  });
  return Object.assign(Object.create(store) as SessionStore, {
    open: (id: string) =>
      Promise.resolve({
        state: stateOf(scenes[Number(id.slice(1))]!),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      }),
  });
}
