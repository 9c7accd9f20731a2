import { parseArgs } from 'node:util';

/** How many minutes a run may take that is not told: with the peers, and without. */
const BUDGET_MINUTES = { peers: 30, own: 12 };

const OPTIONS = {
  only: { type: 'string', short: 'o' },
  rounds: { type: 'string', default: '3' },
  budget: { type: 'string' },
  box: { type: 'string', default: '30' },
  peers: { type: 'boolean', default: false },
  small: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  quiet: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

/** What the command line asks for; times in milliseconds. */
export function readOptions(argv) {
  const { values } = parseArgs({ args: argv, options: OPTIONS });
  const { rounds, box, only, budget = values.peers ? BUDGET_MINUTES.peers : BUDGET_MINUTES.own } = values;
  if (!Number.isInteger(Number(rounds))) throw new Error(`--rounds must be whole, got ${rounds}`);
  return {
    ...values,
    rounds: positive('--rounds', rounds),
    budgetMs: positive('--budget', budget) * 60_000,
    boxMs: positive('--box', box) * 1000,
    only: only?.toUpperCase().split(','),
  };
}

function positive(name, text) {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name} must be above 0, got ${text}`);
  return value;
}

export const HELP = `npm run bench -- [options]

  --only A,B        these sections: A engine, B interrupts, C disk, D streams, E start, F parallel tools, G scale,
                    W workflows
  --rounds N        rounds of each measure, default 3
  --budget MINUTES  no further round begins that would not end in this time; default ${BUDGET_MINUTES.own}, with the peers ${BUDGET_MINUTES.peers}
  --box SECONDS     a measure is stopped after so long, default 30
  --peers           the peers too; they are installed in bench/ first
  --small           small sizes, to see that everything runs; the figures say nothing
  --json            every number of every round
  --quiet           no word of what is being measured`;
