import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { HitlError, meantHint, nearNames, laidOut, joined } from '../../src/core/index.js';
import { reportError } from '../exit/index.js';
import { printJson, processIo, tell, version, watchOutputs } from '../host/index.js';
import type { Io } from '../host/index.js';
import { HELP_TOPICS, helpColumns } from '../help/index.js';
import { mayOfferTour, offersTour } from './offer-tour.js';
import { buildProgram } from './program.js';

/** Runs the program with the words after its name, and returns its exit status. Every error becomes words and a status. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const outputs = watchOutputs(io);
  return await outputs.judged(await statusOf(argv, io));
}

async function statusOf(argv: readonly string[], io: Io): Promise<number> {
  const program = buildProgram(io, version(), argv);
  if (argv.length === 0) {
    program.command.outputHelp();
    if (mayOfferTour(io) && (await offersTour(io))) return main(['demo'], io);
    return 0;
  }
  const [word, name = ''] = argv;
  const topic = word === 'help' && Object.hasOwn(HELP_TOPICS, name) ? HELP_TOPICS[name] : undefined;
  if (topic !== undefined) {
    const text = topic.text(program.command, helpColumns(io.stdout));
    tell(io.stdout, laidOut(text.trimEnd()));
    return 0;
  }
  try {
    if (word === 'help' && name !== '') checkTopic(name, program.command);
    await program.command.parseAsync(argv, { from: 'user' });
    return left(program.status());
  } catch (thrown) {
    return report(thrown, argv, io);
  }
}

/** @throws HitlError USAGE where there is no help on a thing. */
function checkTopic(name: string, { commands }: Command): void {
  const names = [
    ...commands.flatMap((command) => [command.name(), ...command.aliases()]),
    ...Object.keys(HELP_TOPICS),
  ];
  if (name.startsWith('-') || names.includes(name)) return;
  const topics = Object.keys(HELP_TOPICS).join(', ');
  throw new HitlError('USAGE', `there is no help on \`${name}\``, {
    hint: meantHint(nearNames(name, names).slice(0, 1), `the topics are: ${topics}`),
  });
}

/** Node 20 crashes at its exit when the terminal is gone; dying of the hang-up itself is the same status without that. */
function left(status: number): number {
  if (status !== 129) return status;
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
  return status;
}

function report(thrown: unknown, argv: readonly string[], io: Io): number {
  if (isAnswer(thrown)) return 0;
  const error = thrown instanceof CommanderError ? usageError(thrown, argv) : thrown;
  const verbose = argv.includes('--verbose') || argv.includes('-v');
  const { status, lines, error: record } = reportError(error, { verbose });
  tell(io.stderr, joined(lines));
  if (wantsJson(argv)) printJson(io, { error: record }, 'line');
  return status;
}

/** Help or the version was asked for. Commander gives help the status that the process has so far. */
function isAnswer(thrown: unknown): boolean {
  return thrown instanceof CommanderError && (thrown.exitCode === 0 || thrown.code === 'commander.help');
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
  const command = argv.find((word) => !word.startsWith('-'));
  const help =
    command === undefined || text.startsWith('unknown command') ? 'hitl --help' : `hitl ${command} --help`;
  const hint = suggestion.join(' ').replace(/^\((.*)\)$/u, '$1');
  return new HitlError('USAGE', text, { hint: hint === '' ? `see \`${help}\`` : `${hint} See \`${help}\`` });
}
