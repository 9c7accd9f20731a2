// Every kind of question on every terminal, as a person sees it. `npx vitest run test/screen/golden -u` writes them anew:
// look at the difference before it is committed.
import { describe, expect, test } from 'vitest';

import { Album } from './album.js';
import { cutWords, factsOf, missing, proseOf, saidTwice } from './checkers.js';
import { CONTENTS } from './contents.js';
import { KINDS, sceneOf } from './scenes.js';
import type { Size } from './shoot.js';
import { COLOURED, MANY_COLOURS, PLAIN, shootLines, shootScreen, styledScreen, tooWide } from './shoot.js';

const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 60, rows: 20 },
  { columns: 100, rows: 40 },
  { columns: 120, rows: 40 },
  { columns: 40, rows: 12 },
];
/** Kinds that are answered in a line or a list of their own. */
const OWN_LINES: ReadonlySet<string> = new Set(['question', 'choice', 'form', 'several']);
const nameOf = ({ columns, rows }: Size): string => `${columns}x${rows}`;

/** What changed is told in words where there are no colours. */
const withoutWords = (screen: string): string =>
  screen.replace(/^┃ +changed in .*\n(?:┃.*\n)*?(?=┃ +(?:\d|asked|⋯))/gmu, '');

describe.for(KINDS)('a question: %s', (kind) => {
  test('looks as it was looked at once, on every terminal', async () => {
    const album = new Album();
    for (const content of CONTENTS) {
      const scene = sceneOf(kind, content);
      for (const size of SIZES) {
        const screen = await shootScreen(scene, size, PLAIN);
        album.add(`${content} · ${nameOf(size)}`, screen.text);
        if (content === 'short' && size === SIZES[0]) {
          const { written } = await shootScreen(scene, size, COLOURED);
          album.add(`${content} · ${nameOf(size)} · colour`, await styledScreen(written, size));
        }
        album.add(`${content} · ${nameOf(size)} · lines`, (await shootLines(scene, size)).text);
      }
    }
    const [size] = SIZES;
    if (kind.includes('edit') && size !== undefined) {
      const { written } = await shootScreen(sceneOf(kind, 'short'), size, MANY_COLOURS);
      album.add(`short · ${nameOf(size)} · 256 colours`, await styledScreen(written, size));
    }
    await expect(album.text).toMatchFileSnapshot(`screens/${kind}.txt`);
  });

  test.for(CONTENTS)('leaves most of a low screen to what is asked: %s', async (content) => {
    const { text } = await shootScreen(sceneOf(kind, content), { columns: 40, rows: 12 }, PLAIN);
    const rows = text.split('\n');
    const last = rows.findLastIndex((row) => row.startsWith('┃'));
    // A question that is typed or chosen has its own line; keys are the rows behind the rule.
    if (last >= 0 && !OWN_LINES.has(kind)) expect(rows.slice(last + 1).length).toBeLessThanOrEqual(3);
  });

  test.for(CONTENTS)('cuts no word, says no fact twice, leaves none out, and fits: %s', async (content) => {
    const scene = sceneOf(kind, content);
    for (const { columns } of SIZES) {
      const tall = { columns, rows: 300 };
      const screens = { screen: await shootScreen(scene, tall, PLAIN), lines: await shootLines(scene, tall) };
      for (const [where, { text, written }] of Object.entries(screens)) {
        const isList = scene.open.length > 1;
        if (where === 'screen')
          expect((await shootScreen(scene, tall, COLOURED)).text).toBe(withoutWords(text));
        const faults = {
          cut: cutWords(text, isList ? [] : proseOf(scene), columns),
          missing: isList ? [] : missing(text, factsOf(scene)),
          twice: saidTwice(text, scene),
          wide: await tooWide(written, tall),
        };
        expect({ where, columns, ...faults }).toEqual({
          where,
          columns,
          cut: [],
          missing: [],
          twice: [],
          wide: [],
        });
      }
    }
  });
});
