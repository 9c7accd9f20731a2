// What a person sees from key to key: a call that is changed, a yes with words, a choice in words of one's own, a form that
// is left and taken up again. `npx vitest run test/screen/golden/walks.test.ts -u` writes the screens anew.
import { createTwoFilesPatch } from 'diff';
import { describe, expect, test } from 'vitest';

import type { AskingHelp, JsonObject, JsonValue } from '../../../src/core/index.js';
import { aboutEdited, isJsonObject, membersOf } from '../../../src/core/index.js';
import { KEYS } from '../../human/terminal-harness.js';
import { WORDS } from './contents.js';
import type { Content } from './contents.js';
import { grantOf, sceneOf } from './scenes.js';
import type { Shot, Size, Step } from './shoot.js';
import { shootWalk, styledScreen, tooWide } from './shoot.js';

const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 60, rows: 20 },
  { columns: 40, rows: 12 },
];
const { enter, escape, tab } = KEYS;
const press = (...keys: string[]): Step => ({ press: keys });
const type = (text: string): Step => ({ type: text });

/** The gate of a tool that sees the change: a file's is another one. */
const help: AskingHelp = {
  preview: async (interrupt, input) => {
    const { payload } = interrupt;
    const { newText, oldText, calls } = membersOf(input);
    if (Array.isArray(calls)) {
      const left = new Set(calls.map((call: JsonValue) => membersOf(call)['tool']));
      const asked = grantOf(WORDS.short, (name) => left.has(name));
      const { source: call, payload: request } = asked;
      const title = call.type === 'tool' ? (call.title ?? '') : '';
      return { ok: true, interrupt: asked, shown: { input, request: membersOf(request), title } };
    }
    const facts: JsonObject = isJsonObject(payload) && isJsonObject(payload['facts']) ? payload['facts'] : {};
    const patch =
      typeof newText === 'string' && typeof oldText === 'string'
        ? createTwoFilesPatch('a/src/cart.js', 'b/src/cart.js', oldText, newText)
        : undefined;
    const request = { facts, ...(patch !== undefined && { diff: patch.replace(/^=+\n/u, '') }) };
    const { source } = interrupt;
    const title =
      source.type === 'tool' && source.title !== undefined
        ? `Transfer ${membersOf(input)['amount'] as number} to ABC123`
        : undefined;
    const shown = { input, request, ...(title !== undefined && { title }) };
    return { ok: true, interrupt: aboutEdited(interrupt, input, shown), shown };
  },
};

interface Walk {
  readonly scene: string;
  /** Default: short. */
  readonly content?: Content;
  readonly steps: readonly Step[];
}

/** Each walk: its scene, and the steps after each of which the screen is looked at. */
const WALKS: Readonly<Record<string, Walk>> = {
  'change a command': {
    scene: 'command',
    steps: [press('e'), type(' --bail'), press(enter), press('y')],
  },
  'take rows out of a grant': {
    scene: 'grant',
    steps: [press('?'), press('?'), press('2'), press('1'), press(escape), press('3'), press('y')],
  },
  'change what lies beside a command': {
    scene: 'command',
    steps: [press('e'), press(tab), press(enter, enter), type('yes'), press(enter), press('y')],
  },
  'change an edit': {
    scene: 'edit',
    steps: [press(' ', ' ', 'e'), type(' // mine'), press(enter), press(' ', ' ', ' '), press('y')],
  },
  'change an amount': {
    scene: 'titled',
    steps: [press('e'), press(enter, KEYS.ctrlU), type('150'), press(enter), press(enter), press('y')],
  },
  'leave a change': {
    scene: 'command',
    steps: [press('e'), type(' --bail'), press(escape), press('e'), press(enter), press(escape)],
  },
  'allow from now on': { scene: 'command', steps: [press('w'), press('t'), press('t')] },
  'ask what the keys of a gate do': { scene: 'gate', steps: [press('?')] },
  'change an edit before it was read': {
    scene: 'edit',
    content: 'long',
    steps: [press('e'), press(escape), press('y')],
  },
  'say yes and more': {
    scene: 'command',
    steps: [press(tab), type('use the report of last week'), press(enter)],
  },
  'choose in words': {
    scene: 'choice',
    steps: [press('4'), type('both of them'), press(enter)],
  },
  'say something before a choice': {
    scene: 'choice',
    steps: [press('5'), type('what does it cost?'), press(enter)],
  },
  'fill in a form': {
    scene: 'listed-form',
    steps: [
      type('1.5'),
      press(enter, 'y', 'e', 's', enter, 'n', 'o', 'n', 'e', enter),
      press(KEYS.ctrlU, 'b', 'e', 't', 'a', enter),
      type('sesame'),
      press(enter),
    ],
  },
  'leave a form and take it up again': {
    scene: 'form',
    steps: [type('1.5'), press(enter), type('ye'), press(escape, escape), press(enter)],
  },
};

const names = Object.keys(WALKS);

describe.for(names)('a walk: %s', (name) => {
  const { scene, content = 'short', steps } = WALKS[name]!;

  test('looks as it was looked at once, on every terminal', async () => {
    let album = '';
    for (const size of SIZES) {
      const shots = await shootWalk(sceneOf(scene, content), size, { steps, help });
      for (const [at, { text, written }] of shots.entries()) {
        album += `=== ${size.columns}x${size.rows} · ${at + 1} of ${shots.length}\n${text}\n`;
        expect(await tooWide(written, size)).toEqual([]);
      }
    }
    const [size] = SIZES;
    const coloured = await shootWalk(sceneOf(scene, content), size!, { steps, help, colour: true });
    for (const [at, { written }] of coloured.entries())
      album += `=== ${size!.columns}x${size!.rows} · colour · ${at + 1}\n${await styledScreen(written, size!)}\n`;
    // Backgrounds fill a row, and change nothing that can be read or done.
    const many = await shootWalk(sceneOf(scene, content), size!, { steps, help, colour: true, many: true });
    const trimmed = (shots: readonly Shot[]) => shots.map(({ text }) => text.replaceAll(/ +$/gmu, ''));
    expect(trimmed(many)).toEqual(trimmed(coloured));
    await expect(album).toMatchFileSnapshot(`screens/walk-${name.replaceAll(' ', '-')}.txt`);
  });
});
