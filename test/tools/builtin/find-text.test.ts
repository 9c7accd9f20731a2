import fc from 'fast-check';
import { expect, test } from 'vitest';

import { findText } from '../../../src/tools/builtin/find-text.js';
import { cpuTime } from '../../helpers/cpu-time.js';

test('a text is found where the built-in search finds it', () => {
  const letters = fc.constantFrom('a', 'b');
  const texts = fc.string({ unit: letters, maxLength: 400 });
  const cases = fc.tuple(texts, fc.string({ unit: letters, minLength: 60, maxLength: 90 }), fc.nat(300));
  fc.assert(
    fc.property(cases, fc.boolean(), ([text, made, from], taken) => {
      // A made-up text of that length hardly ever occurs; one that is taken out does.
      const wanted = taken && text.length > 80 ? text.slice(7, 77) : made;
      expect(findText(text, wanted, from)).toBe(text.indexOf(wanted, from));
    }),
    { numRuns: 2000 },
  );
});

test('a long text that repeats itself is searched for in one go', () => {
  const text = 'a'.repeat(2_000_000);
  const half = 'a'.repeat(20_000);
  const started = cpuTime();
  expect(findText(text, `${half}b${half}`)).toBe(-1);
  expect(findText(`${text}${half}b${half}`, `${half}b${half}`)).toBe(2_000_000);
  expect(cpuTime() - started).toBeLessThan(3000);
});
