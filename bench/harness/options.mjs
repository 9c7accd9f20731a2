import { parseArgs } from 'node:util';

/** What the command line asks for. */
export function readOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      only: { type: 'string', short: 'o' },
      rounds: { type: 'string', default: '3' },
      peers: { type: 'boolean', default: false },
      small: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds must be 1 or more, got ${values.rounds}`);
  return { ...values, rounds, only: values.only?.toUpperCase().split(',') };
}

export const HELP = `npm run bench -- [options]

  --only A,B    these sections: A engine, B interrupts, C disk, D streams, E start, F parallel tools, G scale
  --rounds N    rounds of each measure, default 3
  --peers       the peers too; they must be installed in bench/
  --small       small sizes, to see that everything runs; the figures say nothing
  --json        every number of every round
  --quiet       no word of what is being measured`;
