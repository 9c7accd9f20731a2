import { CommanderError } from '@commander-js/extra-typings';
import type { Io } from '../host/index.js';
import {
  processIo,
  version,
  watchOutputs,
  withOutputs,
  stateFolder,
  printJson,
  tell,
} from '../host/index.js';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askHere } from '../screen/terminal-here.js';
import { isDumb } from '../screen/terminal-facts.js';
import { rootHelp } from '../help/root-help.js';
import type { CommandTable } from './command-parts.js';
import { ASKING, CONVERSATION_COMMANDS, TOUR } from './conversation-commands.js';
import { INFO_COMMANDS } from './info-commands.js';
import type { Program } from './program-of.js';
import { programOf } from './program-of.js';
import { SESSION_COMMANDS } from './session-commands.js';
import { FLOW_COMMANDS, STEERING_COMMANDS } from './steering-commands.js';
import type { SessionSummary } from '../../src/core/index.js';
import { count, HitlError, joined, laidOut, meantHint, nearNames, plainLine } from '../../src/core/index.js';
import { formatAge, shownTitle } from '../../src/render/index.js';
import { openStore } from '../store/store.js';
import { reportError } from '../exit/report-error.js';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { HELP_TOPICS } from '../help/help-topics.js';
import { helpColumns } from '../help/help-columns.js';
import { confirmOne } from '../../src/human/seated.js';

/**
 * Runs the program with its arguments and returns the exit status. Errors are reported as text and never
 * thrown.
 */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const outputs = watchOutputs(io);
  return await outputs.judged(await statusOf(argv, withOutputs(io, outputs)));
}

/** File that records that the tour was offered. */
const MARK = 'tour-offered';

/** Whether there is a terminal with a user who can be asked. */
function sits(io: Io): boolean {
  const { env, stdin, stdout, stderr } = io;
  return stdin.isTTY && stdout.isTTY && stderr.isTTY && (env['CI'] ?? '') === '' && !isDumb(io);
}
/**
 * Whether to offer the tour: the user can be asked, seems to be new to hitl, and has not been offered the
 * tour before.
 */
export function mayOfferTour(io: Io): boolean {
  if (!sits(io)) return false;
  const folder = stateFolder(io);
  return !existsSync(join(folder, MARK)) && !existsSync(join(folder, 'sessions'));
}

/** Offers the tour once; returns true if the user accepts. */
async function offersTour(io: Io): Promise<boolean> {
  const folder = stateFolder(io);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, MARK), '', { mode: 0o600 });
  } catch {
    return false; // it could not be offered once only
  }
  const question = {
    message: 'Take the two-minute tour?',
    yes: 'take it',
    no: 'not now (hitl demo)',
  };
  return askHere(io, (io.env['NO_COLOR'] ?? '') === '', (context, signal) =>
    confirmOne(context, question, signal),
  );
}

/**
 * Returns the session in this folder that the user may want to continue: the newest one that is waiting or,
 * if there is none, the newest that is not running. Returns `undefined` if the user cannot be asked.
 */
async function nextHere(io: Io): Promise<SessionSummary | undefined> {
  if (!sits(io)) return undefined;
  let newest: SessionSummary | undefined;
  try {
    for await (const session of openStore(io, {}).list({ limit: MOST_LOOKED_AT })) {
      if (session.folder !== io.cwd || session.status === 'running') continue;
      if (session.status === 'waiting') return session;
      newest ??= session;
    }
  } catch {
    return undefined; // nothing to offer: the help was shown
  }
  return newest;
}

/** Number of recent sessions to search for one in this folder. */
const MOST_LOOKED_AT = 50;

/** Offers to continue a session. Returns true if the user accepts. */
function offersNext(io: Io, { title, updatedAt, status, waiting }: SessionSummary): Promise<boolean> {
  const open = status === 'waiting' ? `, ${count(waiting, 'open question')}` : '';
  const question = {
    message: `Continue “${plainLine(shownTitle(title), 40)}” (${formatAge(updatedAt, io.clock.now())}${open})?`,
    yes: 'continue',
    no: 'not now (hitl resume)',
  };
  return askHere(io, (io.env['NO_COLOR'] ?? '') === '', (context, signal) =>
    confirmOne(context, question, signal),
  );
}

/**
 * Prints the help. If the user can be asked, also offers the tour, or to continue a session in this folder.
 */
async function bare(io: Io, program: CommandUnknownOpts): Promise<number> {
  program.outputHelp();
  if (mayOfferTour(io)) return (await offersTour(io)) ? await main(['demo'], io) : 0;
  const next = await nextHere(io);
  if (next === undefined || !(await offersNext(io, next))) return 0;
  return await main(['resume', next.id], io);
}

/** All commands, in the order in which the help lists them. */
const COMMANDS: CommandTable = {
  ...CONVERSATION_COMMANDS,
  ...STEERING_COMMANDS,
  ...FLOW_COMMANDS,
  ...TOUR,
  ...ASKING,
  ...SESSION_COMMANDS,
  ...INFO_COMMANDS,
};

/** Arguments for which no command needs to be defined. */
const NO_COMMAND = ['--version', '-V'];

/** Name of the completion command, which requires that all commands are defined. */
const COMPLETES = '__complete';

/**
 * Builds the program for the given arguments. If the first word is a command, defines only that one, because
 * defining all commands takes as long as loading commander.
 */
export function buildProgram(io: Io, version: string, [word = '']: readonly string[] = []): Program {
  return programOf(io, version, { commands: commandsFor(word), help: rootHelp });
}

function commandsFor(word: string): CommandTable {
  if (NO_COMMAND.includes(word)) return {};
  const define = word !== COMPLETES && Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  return define === undefined ? COMMANDS : { [word]: define };
}

/** Reports the error that ended the program and returns its exit status. */
function report(thrown: unknown, argv: readonly string[], io: Io): number {
  const error = thrown instanceof CommanderError ? usageError(thrown, argv) : thrown;
  const verbose = argv.includes('--verbose') || argv.includes('-v');
  const { status, lines, error: record } = reportError(error, { verbose });
  tell(io.stderr, joined(lines));
  if (wantsJson(argv)) printJson(io, { error: record }, 'line');
  return status;
}

function wantsJson(argv: readonly string[]): boolean {
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  return words.some((word, index) => {
    const format = word.startsWith('--output-format=') ? word.slice('--output-format='.length) : undefined;
    const given = word === '-o' || word === '--output-format' ? words[index + 1] : format;
    return word === '--json' || given === 'json' || given === 'stream-json';
  });
}

function usageError({ message }: CommanderError, argv: readonly string[]): HitlError {
  const [text = '', ...suggestion] = message.replace(/^error: /u, '').split('\n');
  const [command, next] = argv.filter((word) => !word.startsWith('-'));
  // Commander gives an unknown subcommand to the default one as its argument.
  const byDefault = /^too many arguments for '(.*?)'/u.exec(text)?.[1];
  const isUnknown = byDefault !== undefined && next !== undefined && !argv.includes(byDefault);
  const help =
    command === undefined || text.startsWith('unknown command') ? 'hitl --help' : `hitl ${command} --help`;
  const meant = /^\(Did you mean (?:one of )?(.*)\?\)$/u.exec(suggestion.join(' '))?.[1]?.split(', ') ?? [];
  const hint = meant.length === 0 ? `see \`${help}\`` : `${meantHint(meant, '')} See \`${help}\``;
  return new HitlError('USAGE', isUnknown ? `unknown command \`${next}\`` : inOurWords(text), { hint });
}

/** Patterns and replacements that rewrite commander's errors in the style of hitl's own. */
const OUR_WORDS: readonly (readonly [RegExp, string])[] = [
  [
    /^option '(?:-\S, )?(\S+)[^']*' argument '(.*)' is invalid\. Allowed choices are (.*), ([^,]*)\.$/su,
    '`$1` must be $3 or $4, got `$2`',
  ],
  [/^option '(?:-\S, )?(\S+)[^']*' argument '(.*)' is invalid\. (must .*?)\.?$/su, '`$1` $3, got `$2`'],
  [
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*), ([^,]*)\.$/su,
    '`$2` must be $3 or $4, got `$1`',
  ],
  [/^required option '(.*)' not specified$/u, 'missing `$1`'],
  [/^missing required argument '(.*)'$/u, 'missing $1'],
  [
    /^too many arguments for '(.*)'\. Expected (\d+) arguments? but got (\d+)\.$/u,
    'too many arguments for `$1`: at most $2, got $3',
  ],
  [/^unknown (command|option) '(.*)'$/u, 'unknown $1 `$2`'],
];

function inOurWords(text: string): string {
  return OUR_WORDS.reduce((words, [pattern, ours]) => words.replace(pattern, ours), text);
}

/**
 * Prints a help topic for `hitl help <topic>`. Returns false if the name is a command, or if there is no
 * name.
 * @throws HitlError USAGE for an unknown topic.
 */
function tellTopic(io: Io, [, name = '']: readonly string[], program: CommandUnknownOpts): boolean {
  const topic = Object.hasOwn(HELP_TOPICS, name) ? HELP_TOPICS[name] : undefined;
  if (topic !== undefined) {
    const text = topic.text(program, helpColumns(io.stdout));
    tell(io.stdout, laidOut(text.trimEnd()));
    return true;
  }
  if (name !== '') checkTopic(name, program);
  return false;
}

/** @throws HitlError USAGE for an unknown topic. */
function checkTopic(name: string, { commands }: CommandUnknownOpts): void {
  const names = [
    ...commands.flatMap((command) => [command.name(), ...command.aliases()]),
    ...Object.keys(HELP_TOPICS),
  ];
  if (name.startsWith('-') || names.includes(name)) return;
  const topics = Object.keys(HELP_TOPICS).join(', ');
  throw new HitlError('USAGE', `unknown help topic \`${name}\``, {
    hint: meantHint(nearNames(name, names).slice(0, 1), `valid topics: ${topics}`),
  });
}

async function statusOf(argv: readonly string[], io: Io): Promise<number> {
  try {
    const [word] = argv;
    const program = buildProgram(io, version(), argv);
    if (word === undefined) return await bare(io, program.command);
    if (word === 'help' && tellTopic(io, argv, program.command)) return 0;
    await program.command.parseAsync(argv, { from: 'user' });
    return left(program.status());
  } catch (thrown) {
    if (isAnswer(thrown)) return 0;
    return report(thrown, argv, io);
  }
}

/**
 * Whether commander stopped only because it printed help or the version. For help, commander reports whatever
 * exit status is set.
 */
function isAnswer(thrown: unknown): boolean {
  return thrown instanceof CommanderError && (thrown.exitCode === 0 || thrown.code === 'commander.help');
}

/**
 * Ends the process with SIGHUP if its terminal was closed, because Node 20 would crash on exit. The exit
 * status is the same either way.
 */
function left(status: number): number {
  if (status !== 129) return status;
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
  return status;
}
