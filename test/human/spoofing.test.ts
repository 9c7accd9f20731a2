import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Interrupt, JsonValue } from '../../src/core/index.js';
import { isSessionId, parseStrictJson } from '../../src/core/index.js';
import type { Warning } from '../../src/human/index.js';
import { parseAnswer, questionView, rawJsonWarnings, renderQuestionPlain } from '../../src/human/index.js';
import { callInterrupt, stateWith } from './open-interrupt.js';

interface Sample {
  readonly id: string;
  readonly category: string;
  readonly payload: string;
  readonly must_show: readonly string[];
}

const file = path.resolve(import.meta.dirname, '../../../shared/fixtures/approval-spoofing-sample.jsonl');
const isThere = existsSync(file);

function tokenOf(notation: string): string {
  if (notation === '\\\\') return '\\';
  if (notation === '\\n') return '⟦NL⟧';
  if (notation === '\\t') return '⟦U+0009⟧';
  const [, value = '', unit = ''] = /^\\u?\{(\w+) ?([a-z ]*)\}$/.exec(notation) ?? [];
  if (unit === '') return `⟦U+${value.padStart(4, '0')}⟧`;
  return unit === 'spaces' ? `⟦SP×${value}⟧` : `⟦NL×${value}⟧`;
}

/** Our notation as the neutral tokens of the contract: each warning stands in a row of its own, in plain words. */
function neutral(text: string, warnings: readonly Warning[] = []): string {
  const named = warnings.reduce((all, { kind, place, message }) => {
    const row = `  warning: ${place === '' ? '' : `${place}: `}${message}`;
    return all.replace(`\n${row}\n`, () => `\n⟦WARN:${kind}⟧ ${row.slice(11)}\n`);
  }, text);
  return named
    .replace(/\n\s*│ {3}┆ /g, '\\n') // the next line of a block, behind the gutter
    .replace(/\\(?:u\{[0-9A-F]+\}|\{\d+ (?:spaces|line breaks)\}|[nt\\])/g, tokenOf);
}

function shown(interrupt: Interrupt): string {
  return renderQuestionPlain(questionView(interrupt, stateWith()));
}

function neutrally(interrupt: Interrupt): string {
  return neutral(shown(interrupt), questionView(interrupt, stateWith()).warnings);
}

/** What a person sees of a sample, in neutral tokens. */
function seen({ category, payload }: Sample): string {
  const [channel = ''] = category.split('/');
  switch (channel) {
    case 'input':
      return neutrally(callInterrupt({ command: payload }));
    case 'toolname':
      return neutrally(callInterrupt({}, { name: payload }));
    case 'rawjson': {
      const strict = parseStrictJson(payload);
      const refused = strict.ok ? '' : `⟦REJECT:${strict.problem}⟧`;
      const input: JsonValue = JSON.parse(payload);
      return [
        refused,
        ...rawJsonWarnings(payload).map(({ kind }) => `⟦WARN:${kind}⟧`),
        neutrally(callInterrupt(input)),
      ].join('\n');
    }
    case 'sessionid':
      return isSessionId(payload) ? '' : '⟦REJECT:session-id⟧';
    case 'answer':
      return parseAnswer(payload, { interrupt: callInterrupt({}) }).ok ? '' : '⟦NOT-APPROVED⟧';
    default:
      return '';
  }
}

describe.skipIf(!isThere)('G31: the display contract (skipped where its samples are absent)', () => {
  const samples: readonly Sample[] = isThere
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];

  test('has 20 samples', () => {
    expect(samples).toHaveLength(20);
  });

  test.for(samples.map((sample) => [sample.id, sample.category, sample] as const))(
    '%s: %s',
    ([, , sample]) => {
      const text = seen(sample);
      for (const fragment of sample.must_show) expect(text).toContain(fragment);
    },
  );

  test.for(
    samples
      .filter(({ category }) => category.startsWith('input/'))
      .map((sample) => [sample.id, sample] as const),
  )('%s reaches no column 0 and no control character', ([, sample]) => {
    const lines = shown(callInterrupt({ command: sample.payload, [sample.payload]: 1 })).split('\n');
    expect(lines.filter((line) => /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(line))).toEqual([]);
    expect(lines.slice(1).filter((line) => !line.startsWith('  '))).toEqual([]);
  });
});
