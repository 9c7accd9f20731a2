import { expect, test } from 'vitest';

import { saidIn } from '../../../commands/acp/said.js';

test('links are named where they stand, and what was handed over is attached', () => {
  expect(
    saidIn(
      [
        { type: 'text', text: 'Compare ' },
        { type: 'resource_link', uri: 'file:///projects/shop/src/a%20b.ts#L3', name: 'a b.ts' },
        { type: 'text', text: ' with ' },
        { type: 'resource_link', uri: 'file:///etc/hosts', name: 'hosts' },
        { type: 'text', text: ' and ' },
        { type: 'resource', resource: { uri: 'https://example.org/x', text: 'whole' } },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
      '/projects/shop',
    ),
  ).toEqual({
    text: 'Compare src/a b.ts with /etc/hosts and https://example.org/x',
    handed: [
      { name: 'https://example.org/x', content: 'whole' },
      { name: 'image', content: Buffer.from('hi') },
    ],
  });
});

test('a link that is no path here stays as it is', () => {
  const uri = 'file://elsewhere/share/x';
  expect(saidIn([{ type: 'resource_link', uri, name: 'x' }], '/projects').text).toBe(uri);
});
