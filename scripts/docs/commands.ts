import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { CommandUnknownOpts as Command } from '@commander-js/extra-typings';

import { isJsonObject } from '../../src/core/index.js';
import type { Page } from './pages.js';

const manifest: unknown = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'),
);
const scripts = isJsonObject(manifest) && isJsonObject(manifest['scripts']) ? manifest['scripts'] : {};

/** Pages about the work on the project, whose flags are those of scripts. */
const OF_THE_CLONE = /^(CONTRIBUTING|tools\/|bench\/|docs\/(faults|performance|dependencies))/;

/** Flags of other programs that stand alone in a sentence. */
const OF_OTHERS = new Set(['--output', '--prefix']);

/** What a page tells to type that is not there: commands and flags of `hitl`, scripts of npm. */
export function unknownCommands(page: Page, program: Command): readonly string[] {
  const typed = [
    ...page.spans,
    ...page.blocks
      .filter(({ language }) => /^(sh|bash|console|text|yaml)$/.test(language))
      .flatMap(({ text }) => text.split('\n')),
  ];
  const flags = new Set([...flagsOf(program), ...allCommands(program).flatMap(flagsOf)]);
  return [
    ...typed.flatMap(commandLines).flatMap((words) => faultsOf(words, program)),
    ...typed.flatMap((text) => unknownScripts(text)),
    ...page.spans
      .filter((span) => !OF_THE_CLONE.test(page.file) && /^--[a-z]/.test(span))
      .map((span) => /^--[a-z-]+/.exec(span)?.[0] ?? '')
      .filter((flag) => !flags.has(flag) && !OF_OTHERS.has(flag))
      .map((flag) => `there is no flag ${flag}`),
  ].map((fault) => `${page.file}: ${fault}`);
}

/** The words behind each `hitl` at the place of a command. */
function commandLines(text: string): readonly (readonly string[])[] {
  const lines = text.matchAll(/(?:^|[|;(&] *|\$ |then |-- |npx )hitl ((?:<<<|<[\w-]+>|[^|;&<>"'()`#])+)/g);
  return [...lines].map(({ 1: rest = '' }) => rest.split(/ +/).filter((word) => word !== ''));
}

function faultsOf(words: readonly string[], program: Command): readonly string[] {
  const [name = '', second = ''] = words;
  if (!/^[a-z][a-z-]*$/.test(name) || name === 'help') return [];
  const command = named(program, name);
  if (command === undefined) return [`there is no command hitl ${name}`];
  const inner = named(command, second);
  // Without the name of a subcommand it is the one that is meant by default.
  const known = new Set(
    [program, command, ...(inner === undefined ? command.commands : [inner])].flatMap(flagsOf),
  );
  return words
    .filter((word) => /^--[a-z]/.test(word))
    .map((word) => /^--[a-z-]+/.exec(word)?.[0] ?? '')
    .filter((flag) => !known.has(flag))
    .map((flag) => `hitl ${name} has no flag ${flag}`);
}

function unknownScripts(text: string): readonly string[] {
  const named = [...text.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*\*?)/g)].map(
    ({ 1: name = '' }) => name,
  );
  return named
    .filter((name) => !name.endsWith('*') && !Object.hasOwn(scripts, name))
    .map((name) => `there is no npm run ${name}`);
}

function named(parent: Command, name: string): Command | undefined {
  return parent.commands.find((command) => command.name() === name || command.aliases().includes(name));
}

/** Every command below one, at any depth. */
export function allCommands(parent: Command): readonly Command[] {
  return parent.commands.flatMap((command) => [command, ...allCommands(command)]);
}

/** The long flags of a command. */
export function flagsOf({ options }: Command): readonly string[] {
  return ['--help', '--version', ...options.flatMap(({ long }) => long ?? [])];
}
