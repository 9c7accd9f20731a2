import { Option } from 'commander';
import {
  addAnswerOptions,
  addCommonOptions,
  addFlowOptions,
  addReplyOptions,
  addRunOptions,
} from '../flags/options.js';
import { collected, stateEntry, wholeNumber } from '../flags/flag-values.js';
import type { CommandTable } from './command-parts.js';
import { examples } from './command-parts.js';
import { chat } from '../chat.js';
import { resume } from '../resume.js';
import { run } from '../run.js';
import { answer } from '../answer.js';
import { demo } from '../demo.js';

/** Commands that run a model or a workflow. */
export const CONVERSATION_COMMANDS: CommandTable = {
  chat: (program, runs) =>
    addReplyOptions(addRunOptions(program.command('chat'), 'chat'))
      .argument('[prompt...]', 'the first user turn')
      .description('start a session and converse; ask at every interrupt')
      .addHelpText(
        'before',
        examples([
          'hitl chat',
          "hitl chat 'Transfer 200 to ABC123'",
          "printf '%s\\n' 'Transfer 200 to ABC123' y | hitl chat --model demo",
        ]),
      )
      .action(runs(() => chat)),
  resume: (program, runs) =>
    addReplyOptions(addFlowOptions(program.command('resume'), 'resume'))
      .argument('[id]', 'a session, by a prefix of its id; without it: a list to choose from')
      .option('--last', 'the newest session')
      .description('continue a session: open interrupts first, then the conversation')
      .addHelpText(
        'before',
        examples([
          'hitl resume 01k',
          'hitl resume --last',
          'hitl resume 01k --json <<< \'{"action":"restart"}\'',
        ]),
      )
      .action(runs(() => resume)),
  run: (program, runs) =>
    addFlowOptions(program.command('run'), 'run')
      .argument(
        '[flow]',
        'a workflow: a module that exports one, a graph file, or a folder with a `flow` file',
      )
      .argument('[input...]', 'the `input` of its state')
      .option('--again <id>', 'as the run of this session began, but for what is said anew')
      .addOption(new Option('--set <key=value>', 'begin with this in its state').argParser(stateEntry))
      .addOption(new Option('--before <node>', 'ask before this node; * is all').argParser(collected))
      .addOption(new Option('--after <node>', 'ask after this node; * is all').argParser(collected))
      .addOption(
        new Option('--max-iterations <n>', 'nodes to enter before it asks').argParser(
          wholeNumber(1, 1_000_000),
        ),
      )
      .addOption(new Option('--seed <n>', 'for weighted edges').argParser(wholeNumber(0, 2 ** 31)))
      .option('--expect <file>', 'compare what it did with this file; status 9 where it differs')
      .description('run a workflow; ask at every gate and interrupt')
      .addHelpText(
        'before',
        examples([
          "hitl run examples/publish 'a note on the new prices'",
          'hitl run flow.ts --set topic=prices --before publish',
          'hitl run --again 01k --set topic=costs',
          'hitl resume --last',
        ]),
      )
      .action(runs(() => run)),
  answer: (program, runs) =>
    addAnswerOptions(program.command('answer'))
      .argument('[id]', 'a session, by a prefix of its id')
      .argument('[answer...]', 'an answer, as at the prompt: y, n <reason>, edit {json}, …')
      .option('--last', 'the newest session, where no other one waits')
      .option('--interrupt <id>', 'which question, if several are open')
      .option('--digest <digest>', 'the digest that was shown with the question; a yes needs it')
      .option('--any', 'approve whatever is open, without saying what was shown')
      .option('--run', 'go on afterwards, unattended')
      .description('resolve an open interrupt without running anything')
      .addHelpText(
        'before',
        examples([
          'hitl answer 01k y --digest 3db9c6df',
          'hitl answer 01k n not today',
          "hitl answer 01k --interrupt i2 'n use the savings account'",
        ]),
      )
      .action(runs(() => answer)),
};

/** The tour, which comes behind everything that runs. */
export const TOUR: CommandTable = {
  demo: (program, runs) =>
    addCommonOptions(program.command('demo'))
      .description('a guided two-minute tour with the built-in demo model')
      .action(runs(() => demo)),
};
