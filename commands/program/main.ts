import { CommanderError } from 'commander';
import { processIo, version, watchOutputs, withOutputs } from '../host/index.js';
import type { Io } from '../host/index.js';
import { offersTour, mayOfferTour } from './offer-tour.js';
import { buildProgram } from './program.js';
import { report } from './report.js';
import { tellTopic } from './tell-topic.js';

/** Runs the program with the words after its name, and returns its exit status. Every error becomes words and a status. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const outputs = watchOutputs(io);
  return await outputs.judged(await statusOf(argv, withOutputs(io, outputs)));
}

async function statusOf(argv: readonly string[], io: Io): Promise<number> {
  try {
    const [word] = argv;
    const program = buildProgram(io, version(), argv);
    if (word === undefined) {
      program.command.outputHelp();
      return mayOfferTour(io) && (await offersTour(io)) ? await main(['demo'], io) : 0;
    }
    if (word === 'help' && tellTopic(io, argv, program.command)) return 0;
    await program.command.parseAsync(argv, { from: 'user' });
    return left(program.status());
  } catch (thrown) {
    if (isAnswer(thrown)) return 0;
    return report(thrown, argv, io);
  }
}

/** Help or the version was asked for. Commander gives help the status that the process has so far. */
function isAnswer(thrown: unknown): boolean {
  return thrown instanceof CommanderError && (thrown.exitCode === 0 || thrown.code === 'commander.help');
}

/** Node 20 crashes at its exit when the terminal is gone; dying of the hang-up itself is the same status without that. */
function left(status: number): number {
  if (status !== 129) return status;
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
  return status;
}
