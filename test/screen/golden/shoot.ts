// Loaded here, so that a screen with colours needs no more time than one without.
import '../../../src/human/look/highlight-code.js';

import xterm from '@xterm/headless';

import type { AskingHelp } from '../../../src/core/index.js';
import { terminalTheme } from '../../../commands/screen/terminal-here.js';
import type { TerminalTheme } from '../../../src/human/index.js';
import { createLinePerson } from '../../../src/human/lines/line-person.js';
import { plainTheme } from '../../../src/human/device/theme.js';
import { TerminalChannel } from '../../../src/human/terminal/terminal.js';
import { appliedRows, createTheme } from '../../../src/render/index.js';
import { fakeClock } from '../../../src/testing/index.js';
import { testTerminal } from '../../human/terminal-harness.js';
import { NOW } from './checkers.js';
import type { Scene } from './scenes.js';

/** A terminal, in columns and rows. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

const actor = { type: 'person', name: 'ann', via: 'terminal' } as const;
/** A screen as it is, and where it has colours: which style each run of it has. */
export interface Shot {
  readonly text: string;
  readonly written: string;
}

/** What a person sees when the question has been drawn. */
export async function shootScreen({ open, state }: Scene, size: Size, theme: TerminalTheme): Promise<Shot> {
  const terminal = testTerminal(size);
  const { device, clock } = terminal;
  await clock.advance(NOW - clock.now());
  const stop = new AbortController();
  const channel = new TerminalChannel({
    device,
    clock,
    theme,
    actor,
    aside: () => new Promise(() => undefined),
  });
  const over = channel.ask(open, state, stop.signal);
  await terminal.settle();
  const shot = { text: await terminal.screen(), written: terminal.written() };
  stop.abort(new Error('over'));
  await over;
  return shot;
}

/** What happens between two screens: keys that are pressed one by one, or a text that is typed. */
export type Step = { readonly press: readonly string[] } | { readonly type: string };

interface Walk {
  readonly steps: readonly Step[];
  readonly help?: AskingHelp;
  readonly colour?: boolean;
  /** A terminal with 256 colours. Default false. */
  readonly many?: boolean;
}

/** What a person sees after each step of a walk; the last screen is what is left of it. */
export async function shootWalk(
  { open, state }: Scene,
  size: Size,
  { steps, help, colour = false, many = false }: Walk,
): Promise<readonly Shot[]> {
  const terminal = testTerminal(size);
  const { device, clock } = terminal;
  await clock.advance(NOW - clock.now());
  const stop = new AbortController();
  const theme = createTheme({ colour, ...(many && { many }) });
  const channel = new TerminalChannel({
    device,
    clock,
    theme: terminalTheme(theme),
    actor,
    aside: async () => 'answer',
    changed: (interrupt, resolution, columns) => appliedRows({ interrupt, resolution }, { theme, columns }),
  });
  const over = channel.ask(open, state, stop.signal, help);
  const shots: Shot[] = [];
  await terminal.settle();
  for (const step of steps) {
    if ('press' in step) await terminal.press(...step.press);
    else await terminal.type(step.type);
    shots.push({ text: await terminal.screen(), written: terminal.written() });
  }
  stop.abort(new Error('over'));
  await over;
  return shots;
}

export const PLAIN = plainTheme;
export const COLOURED = terminalTheme(createTheme({ colour: true }));
export const MANY_COLOURS = terminalTheme(createTheme({ colour: true, many: true }));

/** What a terminal shows that takes lines and draws nothing. */
export async function shootLines({ open, state }: Scene, size: Size): Promise<Shot> {
  const clock = fakeClock({ start: NOW });
  let written = '';
  const stop = new AbortController();
  const person = createLinePerson({
    lines: {
      next: (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            reject(new Error('over'));
          });
        }),
      arrived: () => [],
      close: () => undefined,
    },
    write: (text) => {
      written += text;
    },
    clock,
    actor,
    columns: () => size.columns,
    echo: () => true,
  });
  const over = person.channel.ask(open, state, stop.signal);
  await clock.advance(1000);
  stop.abort(new Error('over'));
  await over;
  return { text: await screenOf(written.replace(/\n$/, ''), size), written };
}

async function screenOf(written: string, { columns, rows }: Size): Promise<string> {
  const { active } = (await drawn(written.replaceAll('\n', '\r\n'), { columns, rows })).buffer;
  return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '')
    .join('\n')
    .trimEnd();
}

/** Rows that the terminal itself had to break. */
export async function tooWide(written: string, { columns, rows }: Size): Promise<readonly string[]> {
  const { active } = (await drawn(written.replace(/(?<!\r)\n/g, '\r\n'), { columns, rows })).buffer;
  return Array.from({ length: active.length }, (_, row) => active.getLine(row))
    .filter((line) => line?.isWrapped === true)
    .map((line) => line?.translateToString(true) ?? '');
}

async function drawn(written: string, { columns, rows }: Size): Promise<InstanceType<typeof xterm.Terminal>> {
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000 });
  await new Promise<void>((resolve) => {
    screen.write(written, resolve);
  });
  return screen;
}

const STYLES: Readonly<Record<string, string>> = {
  '1': 'bold',
  '2': 'dim',
  '3': 'italic',
  '4': 'under',
  '7': 'reverse',
  '31': 'red',
  '32': 'green',
  '33': 'yellow',
  '34': 'blue',
  '35': 'magenta',
  '36': 'cyan',
  '90': 'grey',
};

/** The styled runs of what was drawn last, as `{red …}`; what has no style stands as it is. */
export async function styledScreen(written: string, { columns, rows }: Size): Promise<string> {
  const { active } = (await drawn(written, { columns, rows })).buffer;
  const shown: string[] = [];
  for (let y = 0; y < active.length; y += 1) {
    const line = active.getLine(y);
    let row = '';
    let style = '';
    let run = '';
    const end = () => {
      const isPlain = style === '' || (run.trim() === '' && !style.includes('on '));
      row += isPlain ? run : `{${style} ${run}}`;
      run = '';
    };
    for (let x = 0; x < columns; x += 1) {
      const cell = line?.getCell(x);
      if (cell === undefined || cell.getWidth() === 0) continue;
      const names = [
        ...(cell.isBold() ? ['bold'] : []),
        ...(cell.isDim() ? ['dim'] : []),
        ...(cell.isUnderline() ? ['under'] : []),
        ...(cell.isInverse() ? ['reverse'] : []),
        ...(cell.isFgPalette()
          ? [STYLES[String(30 + cell.getFgColor())] ?? STYLES[String(82 + cell.getFgColor())] ?? 'other']
          : []),
        ...(cell.isBgPalette() ? [`on ${cell.getBgColor()}`] : []),
      ].join('+');
      if (names !== style) {
        end();
        style = names;
      }
      run += cell.getChars() === '' ? ' ' : cell.getChars();
    }
    end();
    shown.push(row.trimEnd());
  }
  return shown.join('\n').trimEnd();
}
