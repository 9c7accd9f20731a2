// What a person sees of a workflow while it runs, on every terminal and in lines.
// `npx vitest run test/screen/golden/workflow -u` writes the screens anew: look at the difference before it is committed.
import { describe, expect, test } from 'vitest';

import type { SessionEvent } from '../../../src/core/index.js';
import { emptyState, evolve } from '../../../src/core/index.js';
import type { Graph } from '../../../src/graph/index.js';
import { graph } from '../../../src/graph/index.js';
import { createTheme, TerminalRenderer } from '../../../src/render/index.js';
import type { Reply } from '../../graph/workflow/play.js';
import { PlayedSession } from '../played-session.js';
import { Album } from './album.js';
import { tooWide } from './shoot.js';
import { deploy, told } from './tree-scene.js';

const SIZES = [80, 120, 60, 40].map((columns) => ({ columns, rows: 24 }));

/** A note that a person reads before it goes out. */
const publish = graph('publish')
  .fn('draft', () => ({ draft: 'Spring is here' }))
  .human('review', { question: () => ({ prompt: 'Publish this note?', schema: { enum: ['yes', 'no'] } }) })
  .fn('publish', () => ({ published: true }), { gate: { before: true, prompt: 'It goes out now.' } })
  .edge('draft', 'review')
  .edge('review', 'publish')
  .end('publish')
  .build();

interface Run {
  readonly flow: Graph;
  readonly replies: readonly Reply[];
}

const RUNS: Readonly<Record<string, Run>> = {
  'workflow-as-code': { flow: deploy, replies: [{ say: '7' }, { say: 'yes' }, { say: 'yes' }] },
  'workflow-as-graph': { flow: publish, replies: [{ say: 'yes' }, { action: 'continue' }] },
};

describe.for(Object.entries(RUNS))('a run of a %s', ([name, { flow, replies }]) => {
  test('looks as it was looked at once, with a line for each step that ends', async () => {
    const events = (await told(flow, replies)).events.map(({ event }) => event);
    const album = new Album();
    for (const size of SIZES) {
      using session = new PlayedSession(size);
      session.renderer.pause();
      play(events, session.renderer);
      await session.terminal.settle();
      album.add(`${size.columns} columns`, await session.screen());
      expect(await tooWide(session.terminal.written(), size)).toEqual([]);
    }
    let lines = '';
    const stream = { columns: 80, write: (text: string) => void (lines += text) };
    const theme = createTheme({ colour: false, ascii: true });
    play(events, new TerminalRenderer({ stdout: stream, stderr: stream, theme, now: () => 0 }));
    album.add('lines', lines.trimEnd());
    await expect(album.text).toMatchFileSnapshot(`screens/${name}.txt`);
  });
});

function play(events: readonly SessionEvent[], renderer: TerminalRenderer): void {
  let state = emptyState();
  for (const [at, event] of events.entries()) {
    state = evolve(state, event);
    renderer.event(event, at + 1, state);
  }
  renderer.stopped(state);
}
