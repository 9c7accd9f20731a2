import { columnsOf, escapeText } from '../../../src/core/index.js';
import type { JsonValue } from '../../../src/core/index.js';
import { questionView } from '../../../src/human/index.js';
import { formFields, formOf, labelOf } from '../../../src/human/question/form-fields.js';
import { RAISED_AT } from '../../human/open-interrupt.js';
import { shownNumber, shownString } from '../../../src/human/values/value-rows.js';
import type { Scene } from './scenes.js';

/** When everything was asked, four hours before it is looked at. */
export const NOW = Date.parse(RAISED_AT) + 4 * 3_600_000;

function joined(screen: string): string {
  return screen
    .split('\n')
    .map((row) => row.replace(/^[┃|┆:❯▸↪> ]*/, '').trimEnd())
    .join('')
    .replaceAll('−', '-')
    .replaceAll(/\s/g, '');
}

/** Words that are broken over two rows although a row has room for them; `texts` is what is shown. */
export function cutWords(screen: string, texts: readonly string[], columns: number): readonly string[] {
  const rows = screen.split('\n');
  const words = texts.flatMap((text) => text.match(/[\p{Script=Latin}\p{N}_'’-]+[,.:;]?/gu) ?? []);
  return [...new Set(words)].filter((word) => {
    return columnsOf(word) < columns - 24 && !rows.some((row) => row.includes(word));
  });
}

/** Texts of which something is not on the screen, however it is broken into rows. */
export function missing(screen: string, texts: readonly string[]): readonly string[] {
  const all = joined(screen);
  return texts.filter((text) => !all.includes(joined(text)));
}

/**
 * Values of the input that stand more often on the screen than they are given; a warning may quote them. A text that a
 * tool's own title quotes stands below it too, with its name: within a sentence it could say anything.
 */
export function saidTwice(screen: string, { open }: Scene): readonly string[] {
  const given = open.flatMap(({ source }) => (source.type === 'tool' ? scalars(source.input) : []));
  const titled = open.flatMap(({ source }) => {
    if (source.type !== 'tool' || source.title === undefined) return [];
    const { title, input } = source;
    return scalars(input).filter((value) => escapeText(title).includes(value) && !/^[\w.]+$/u.test(value));
  });
  const facts = screen
    .split('\n')
    .filter((row) => !row.includes('warning: ') && !row.includes(' mixes alphabets'));
  return [...new Set(given)].filter((value) => {
    if (value.length < 3) return false;
    const times = [...given, ...titled].filter((one) => one.includes(value)).length;
    return timesIn(facts.join('\n').replaceAll(KEY_OF_FIELD, ''), value) > times;
  });
}

/** The key of a field stands beside its label, and once more in the example of an answer. */
const KEY_OF_FIELD = / \[\w+\]/gu;

function timesIn(screen: string, value: string): number {
  if (value.length > 8) return joined(screen).split(value.replaceAll(/\s/g, '')).length - 1;
  const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return screen.match(new RegExp(String.raw`(?<![\w{])${escaped}(?![\w}])`, 'gu'))?.length ?? 0;
}

/** The texts and numbers of a value, as they are shown. */
function scalars(value: JsonValue): readonly string[] {
  if (typeof value === 'string') return value.includes('\n') ? [] : [shownString(value)];
  if (typeof value === 'number') return [shownNumber(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(scalars);
}

/** Prose that a question is made of: words are whole in it. */
export function proseOf({ open, state }: Scene): readonly string[] {
  return open.flatMap((interrupt) => {
    const view = questionView(interrupt, state, { open, limits: null, now: NOW });
    const lines = view.brief.all.filter(
      ({ tone, part }) => tone === 'own' || tone === 'warning' || part === 'says' || part === 'question',
    );
    const choices = view.choices.flatMap(({ label, description = '' }) => [label, description]);
    return [...lines.map(({ text }) => text), ...choices].filter((text) => text !== '');
  });
}

/** Everything that has to be seen of a question. */
export function factsOf({ open, state }: Scene): readonly string[] {
  return open.flatMap((interrupt) => {
    const view = questionView(interrupt, state, { open, limits: null, now: NOW });
    const lines = view.brief.all.flatMap(({ label = '', text }) => [label, text]);
    const choices = view.choices.flatMap(({ label, description = '' }) => [label, description]);
    const form = formOf(interrupt);
    const fields = form === undefined ? [] : formFields(form, {}).slice(0, 1).map(labelOf);
    return [view.title, ...lines, ...fields, ...choices].filter((text) => text.trim() !== '');
  });
}
