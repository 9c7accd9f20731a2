import { CommanderError } from 'commander';
import { HitlError, joined } from '../../src/core/index.js';
import { reportError } from '../exit/report-error.js';
import type { Io } from '../host/index.js';
import { printJson, tell } from '../host/index.js';

/** Tells the error that ended the program, and returns its exit status. */
export function report(thrown: unknown, argv: readonly string[], io: Io): number {
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
  const command = argv.find((word) => !word.startsWith('-'));
  const help =
    command === undefined || text.startsWith('unknown command') ? 'hitl --help' : `hitl ${command} --help`;
  const hint = suggestion.join(' ').replace(/^\((.*)\)$/u, '$1');
  return new HitlError('USAGE', text, { hint: hint === '' ? `see \`${help}\`` : `${hint} See \`${help}\`` });
}
