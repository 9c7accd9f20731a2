// Every kind of question on every terminal, as a person sees it. `npx vitest run test/screen/golden -u` writes them anew:
// look at the difference before it is committed.
import { describe, expect, test } from 'vitest';

import { Album } from './album.js';
import { cutWords, factsOf, missing, proseOf, saidTwice } from './checkers.js';
import { CONTENTS } from './contents.js';
import { KINDS, sceneOf } from './scenes.js';
import type { Size } from './shoot.js';
import { COLOURED, PLAIN, shootLines, shootScreen, styledScreen, tooWide } from './shoot.js';

const SIZES: readonly Size[] = [
  { columns: 80, rows: 24 },
  { columns: 100, rows: 40 },
  { columns: 120, rows: 40 },
  { columns: 40, rows: 12 },
];
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
        const coloured = await shootScreen(scene, size, COLOURED);
        if (content === 'short' && size === SIZES[0])
          album.add(`${content} · ${nameOf(size)} · colour`, await styledScreen(coloured.written, size));
        album.add(`${content} · ${nameOf(size)} · lines`, (await shootLines(scene, size)).text);
      }
    }
    await expect(album.text).toMatchFileSnapshot(`screens/${kind}.txt`);
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
