import { createPrompt, useEffect, useKeypress, useState } from '@inquirer/core';

import { columnsOf } from '../../core/index.js';
import type { TerminalTheme } from '../device/index.js';
import type { Refused } from './guard.js';
import type { Asked, Prompter } from './prompter.js';
import type { Subscribe } from './run-prompt.js';
import { runPrompt } from './run-prompt.js';

/** A key that may be pressed, and what it does. */
export interface KeyChoice<Value> {
  /** One character; upper and lower case differ. */
  readonly key: string;
  readonly label: string;
  readonly value: Value;
  /** Set where the key does not work now: why. */
  readonly disabled?: string;
}

export interface KeyQuestion<Value> {
  /** One line, in the product's own words. */
  readonly message: string;
  readonly choices: readonly KeyChoice<Value>[];
  /** Writes what is asked about again, after the screen was lost. */
  readonly above?: () => void;
}

interface KeyPromptConfig {
  readonly question: KeyQuestion<number>;
  readonly theme: TerminalTheme;
  readonly subscribe: Subscribe;
  readonly columns: () => number;
}

const REFUSED: Readonly<Record<Refused, string>> = {
  early: 'that key came too early to be meant for this question',
  burst: 'several keys at once decide nothing',
  paste: 'a paste decides nothing',
};
const SEPARATOR = ' · ';

/** The choices in rows that fit, broken between choices only. */
function choiceRows({ question, theme, columns }: KeyPromptConfig): string {
  const rows: { text: string; columns: number }[] = [];
  for (const { key, label, disabled } of question.choices) {
    const width = columnsOf(`${key} ${label}`);
    const text = disabled === undefined ? `${theme.key(key)} ${label}` : theme.dim(`${key} ${label}`);
    const last = rows.at(-1);
    if (last !== undefined && last.columns + SEPARATOR.length + width < columns() - 1) {
      last.text += theme.dim(SEPARATOR) + text;
      last.columns += SEPARATOR.length + width;
    } else rows.push({ text, columns: width });
  }
  return rows.map((row) => row.text).join('\n');
}

/** One key decides; Enter, Esc and every other key decide nothing. Resolves with the index of the choice. */
export const keyPrompt = createPrompt<number, KeyPromptConfig>((config, done) => {
  const { question, theme, subscribe } = config;
  const [note, setNote] = useState('');
  const [, setDrawn] = useState(0);
  useEffect(
    () =>
      subscribe((news) => {
        if (news.type === 'resized') setDrawn((count) => count + 1);
        else setNote(`${REFUSED[news.why]}; press one key`);
      }),
    [],
  );
  useKeypress((key, readline) => {
    readline.clearLine(0);
    const pressed = key.name === 'return' || key.name === 'enter' ? '' : readKey(key);
    const index = question.choices.findIndex((choice) => choice.key === pressed);
    const choice = question.choices[index];
    if (choice === undefined) setNote(`press ${question.choices.map((one) => one.key).join(', ')}`);
    else if (choice.disabled !== undefined) setNote(choice.disabled);
    else done(index);
  });
  const said = note === '' ? '' : `${theme.dim(note)}\n`;
  return `${choiceRows(config)}\n${said}${theme.title(question.message)} `;
});

function readKey(key: { name: string; ctrl: boolean } & Partial<{ sequence: string }>): string {
  return key.ctrl ? '' : (key.sequence ?? key.name);
}

/** Asks for one key. */
export async function askKey<Value>(prompter: Prompter, question: KeyQuestion<Value>): Promise<Asked<Value>> {
  const { terminal, theme } = prompter;
  const numbered = { ...question, choices: question.choices.map((choice, value) => ({ ...choice, value })) };
  const { above } = question;
  const asked = await runPrompt(
    prompter,
    keyPrompt,
    (subscribe) => ({ question: numbered, theme, subscribe, columns: () => terminal.columns }),
    { ...(above && { above }) },
  );
  if (asked.type === 'back') return asked;
  const chosen = question.choices[asked.value];
  // The prompt returns an index into these very choices.
  return chosen === undefined ? { type: 'back' } : { type: 'answered', value: chosen.value };
}
