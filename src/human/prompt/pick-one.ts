import { search } from '@inquirer/prompts';

import type { Clock } from '../../core/index.js';
import { escapeText } from '../../core/index.js';
import type { TerminalDevice } from '../device/device.js';
import type { TerminalTheme } from '../device/theme.js';
import { askChoice } from './choice-prompt.js';
import { askKey } from './key-prompt.js';
import { askText } from './ask-text.js';
import { factsInColumns, matching, pickLines } from './pick-rows.js';
import type { PickRow } from './pick-rows.js';
import type { Asked, Prompter } from './prompter.js';
import { BACK } from './prompter.js';
import { runPrompt } from './run-prompt.js';

export interface PickContext {
  readonly device: TerminalDevice;
  readonly clock: Clock;
  readonly theme: TerminalTheme;
}

/** Runs a prompt outside a conversation. Returns `back` if the user leaves it. */
export async function askOnce<T>(
  { device, clock, theme }: PickContext,
  ask: (prompter: Prompter) => Promise<Asked<T>>,
  signal: AbortSignal,
): Promise<Asked<T>> {
  const leaving = new AbortController();
  const leave = () => {
    leaving.abort();
  };
  const either = AbortSignal.any([signal, leaving.signal]);
  try {
    return await device.use((terminal) => ask({ terminal, clock, theme, leave }), either);
  } catch (error) {
    signal.throwIfAborted();
    if (leaving.signal.aborted) return BACK;
    throw error;
  }
}

/** Width of the cursor and the last column, which stays empty. */
const CURSOR_COLUMNS = 3;

/** Returns the styles that make inquirer prompts look like the other prompts. */
function looksOf({ dim, key, title }: TerminalTheme) {
  return {
    prefix: '',
    icon: { cursor: key('❯') },
    style: {
      message: title,
      highlight: key,
      searchTerm: (text: string) => text,
      keysHelpTip: () => dim('type to search · ↑↓, then Enter · Esc back'),
    },
  };
}

/**
 * Lets the user choose a row by typing parts of it or with the arrow keys. Returns `undefined` if none was
 * chosen.
 */
export async function pickOne<Value>(
  context: PickContext,
  question: { readonly message: string; readonly rows: readonly PickRow<Value>[] },
  signal: AbortSignal,
): Promise<Value | undefined> {
  const { message, rows } = question;
  const facts = factsInColumns(rows);
  const asked = await askOnce(
    context,
    (prompter) =>
      runPrompt(
        prompter,
        search<number>,
        {
          message,
          pageSize: Math.max(3, prompter.terminal.rows - 4),
          theme: looksOf(prompter.theme),
          source: (term: string | undefined) =>
            matching(rows, term).map(([index, row]) => ({
              value: index,
              name: pickLines(row, facts[index] ?? '', prompter.terminal.columns - CURSOR_COLUMNS),
            })),
        },
        (key) => key.name === 'enter',
      ),
    signal,
  );
  return asked.type === 'back' ? undefined : rows[asked.value]?.value;
}

/**
 * Asks a yes-or-no question, which must not contain untrusted text. Any answer except a deliberate `y` means
 * no.
 */
export async function confirmOne(
  context: PickContext,
  question: { readonly message: string; readonly yes: string; readonly no: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { message, yes, no } = question;
  const choices = [
    { key: 'y', label: yes, value: true },
    { key: 'n', label: no, value: false },
  ];
  const asked = await askOnce(context, (prompter) => askKey(prompter, { message, choices }), signal);
  return asked.type === 'answered' && asked.value;
}

/**
 * Asks the user to choose one of a few texts by number or with the arrow keys. Returns `undefined` if none
 * was chosen.
 */
export async function chooseOne(
  context: PickContext,
  question: { readonly message: string; readonly rows: readonly string[] },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { message, rows } = question;
  const labels = rows.map((row) => ({ label: escapeText(row) }));
  const choice = { message, rows: labels, multiple: false, escape: 'back' };
  const asked = await askOnce(context, (prompter) => askChoice(prompter, choice), signal);
  return asked.type === 'back' ? undefined : asked.value[0];
}

/** Asks for a line of text. Returns `undefined` if none was entered. */
export async function writeLine(
  context: PickContext,
  question: { readonly prompt: string; readonly hint: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const asked = await askOnce(
    context,
    (prompter) =>
      askText(prompter, {
        ...question,
        check: (text) => (text.trim() === '' ? 'Type something, or press Esc' : undefined),
      }),
    signal,
  );
  return asked.type === 'back' ? undefined : asked.value;
}
