// 1,200 texts that almost are secrets: masking any of them takes a time that grows with its length alone.
import { expect, test } from 'vitest';

import { maskText } from '../../src/core/index.js';

/** How what is masked begins. */
const STARTS = [
  'sk-ant-',
  'sk-',
  'sk_live_',
  'ghp_',
  'github_pat_',
  'AKIA',
  'AIza',
  'xoxb-',
  'glpat-',
  'npm_',
  'hf_',
  'eyJ',
  'eyJaaaaaaaaaa.',
  '.eyJaaaaaaaaaa',
  '://',
  '://a:',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  'PRIVATE KEY',
  'key=',
  'api_key: ',
  'password="',
  'token',
  'secret: ',
  'pwd\t',
];
const BETWEEN = ['', '-', '_', '.', ' ', ':', '=', '/', '@', '"', 'a', '\n'];

test.for(STARTS)('T18 100 kB of %j take less than 50 ms, with whatever separator', (start) => {
  const slow = BETWEEN.flatMap((separator) =>
    ['', '(', ' ', '@'].flatMap((end) => {
      const piece = start + separator;
      const text = piece.repeat(Math.ceil(100_000 / piece.length)) + end;
      // What is slow is tried again: other work of the machine is not what is measured.
      let fastest = Infinity;
      for (let tries = 0; tries < 10 && fastest >= 50; tries += 1) {
        const before = performance.now();
        maskText(text);
        fastest = Math.min(fastest, performance.now() - before);
      }
      return fastest < 50 ? [] : [{ separator, end, fastest }];
    }),
  );
  expect(slow).toEqual([]);
});
