import type { Entry, Part, RunState } from '../core/index.js';
import { decidedWords, mediaWords, plainLine, textOf } from '../core/index.js';

/** Characters of one part of a message that a summary is made from, the most and the least. */
const MOST_OF_PART = 8_000;
const LEAST_OF_PART = 250;
/** Columns of a decision, and decisions that are kept; the last ones are. */
const DECISION_COLUMNS = 300;
const MOST_DECISIONS = 40;

/** The messages as a text of at most `room` characters: long parts lose their middle, then the oldest messages go. */
export function recordText(entries: readonly Entry[], room: number): string {
  for (let most = MOST_OF_PART; most >= LEAST_OF_PART; most /= 2) {
    const text = entries.map((entry) => entryText(entry, most)).join('\n\n');
    if (text.length <= room) return text;
  }
  const text = entries.map((entry) => entryText(entry, LEAST_OF_PART)).join('\n\n');
  return `[… the oldest part is left out …]\n${text.slice(-room)}`;
}

function entryText({ message }: Entry, most: number): string {
  const who = message.role === 'model' ? 'assistant' : message.role;
  return message.content
    .flatMap((part) => partText(part).map((text) => `[${who}] ${clipped(text, most)}`))
    .join('\n');
}

function partText(part: Part): readonly string[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : [part.text];
    case 'reasoning':
    case 'data':
      return [];
    case 'media':
      return [mediaWords(part)];
    case 'tool-request':
      return [`calls ${part.name} ${JSON.stringify(part.input)}`];
    case 'tool-response':
      return [`${part.name} ${part.isError === true ? 'failed' : 'gave'}: ${outputText(part.output)}`];
  }
}

function outputText(output: unknown): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}

function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${text.slice(0, half)} [… ${text.length - 2 * half} characters …] ${text.slice(-half)}`;
}

/**
 * Lists what people decided in the messages, a line each, in the words in which they were told: from the journal, and not from
 * a model. With what earlier summaries carry, the latest ones.
 */
export function decisionsIn(entries: readonly Entry[], { compacted }: RunState): readonly string[] {
  const made = entries.flatMap(({ calls = [] }) =>
    calls.flatMap(({ resolved, state }) => {
      if (resolved === undefined) return [];
      const { verb, what, given } = decidedWords(resolved.interrupt, resolved.resolution);
      const outcome =
        state.status === 'settled' && state.outcome.type === 'error' ? 'it did not succeed' : '';
      const words = [`- ${verb}: ${what}`, given, outcome].filter((word) => word !== '').join(' · ');
      return [plainLine(words, DECISION_COLUMNS)];
    }),
  );
  return [...(compacted?.decisions ?? []), ...made].slice(-MOST_DECISIONS);
}

/** The text of a reply that is a summary, at most so long. */
export function summaryText(content: readonly Part[], room: number): string {
  return textOf({ role: 'model', content }).trim().slice(0, room);
}
