import { expect, test } from 'vitest';

import type { Message, SessionEvent } from '../../src/core/index.js';
import { sourcesOf } from '../../src/core/index.js';
import { createTheme, TerminalRenderer, transcriptText } from '../../src/render/index.js';
import { FakeScreen } from './outputs.js';
import { agent, stateOf, userSays } from './story.js';

const page = {
  type: 'web_search_result_location',
  url: 'https://go.example',
  title: 'Go \u001b[2J',
  cited_text: 'x',
};
const message: Message = {
  role: 'model',
  content: [
    { type: 'text', text: 'Lee won ', metadata: { anthropic: { citations: [page, page] } } },
    {
      type: 'text',
      text: 'in 2016.',
      metadata: { anthropic: { citations: [{ type: 'char_location', document_title: 'Notes' }, 'odd', {}] } },
    },
  ],
};

test('a source that a reply cites is told once, whatever kind it is', () => {
  expect(sourcesOf(message)).toEqual([
    { title: 'Go \u001b[2J', url: 'https://go.example' },
    { title: 'Notes' },
  ]);
});

test('what a reply cites stands below it, spelled out, on a terminal and in a transcript', () => {
  const reply: SessionEvent = { type: 'message-added', message };
  const events = [userSays('who won?'), reply];
  const screen = new FakeScreen();
  const theme = createTheme({ colour: false });
  const renderer = new TerminalRenderer({ ...screen.streams, theme, now: () => 0 });
  renderer.event(reply, 2, stateOf([{ type: 'session-created', agent }, ...events]));
  const sources = '  source 1  Go \\u{1B}[2J  https://go.example\n  source 2  Notes\n';
  expect(screen.log.join('')).toBe(`  Lee won in 2016.\n${sources}`);
  const transcript = transcriptText(stateOf([{ type: 'session-created', agent }, ...events]), {
    theme,
    columns: 80,
  });
  expect(transcript).toContain(`  Lee won in 2016.\n${sources}`);
});
