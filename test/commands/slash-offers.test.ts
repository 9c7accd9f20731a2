import { describe, expect, test } from 'vitest';

import { slashOffers } from '../../commands/slash/names.js';

describe('the commands that a line may become', () => {
  test('are those that begin with it, each with what it does', () => {
    expect(slashOffers('/s')).toEqual([
      {
        line: '/status',
        label: '/status',
        help: 'where this session is, and what it has used',
      },
      { line: '/show', label: '/show', help: 'the transcript so far' },
      {
        line: '/save',
        label: '/save',
        help: 'write transcript.json now (the journal is always saved)',
      },
    ]);
  });

  test.for(['', 'text', '//help', '/help', '/nothing'])('are none for %j', (line) => {
    expect(slashOffers(line)).toEqual([]);
  });
});
