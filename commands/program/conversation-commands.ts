import { Option } from '@commander-js/extra-typings';
import {
  addAnswerOptions,
  addAgentOption,
  addApprovalOptions,
  addCommonOptions,
  addFlowOptions,
  addOfferOptions,
  addReplyOptions,
  addRunOptions,
  addSessionOptions,
} from '../flags/options.js';
import { collected, stateEntry, textEntry, valueOf, wholeNumber } from '../flags/flag-values.js';
import type { CommandTable } from './command-parts.js';
import { examples } from './command-parts.js';
import { chat } from '../chat.js';
import { resume } from '../resume.js';
import { run } from '../run.js';
import { answer } from '../answer.js';
import { acp } from '../acp.js';
import { ask } from '../ask.js';
import { demo } from '../demo.js';

/** Commands that run a model or a workflow. */
export const CONVERSATION_COMMANDS: CommandTable = {
  chat: (program, runs) =>
    addAgentOption(addReplyOptions(addRunOptions(program.command('chat'), 'chat')))
      .argument('[prompt...]', 'first message')
      .description('Start a chat session')
      .addHelpText(
        'before',
        examples([
          'hitl chat',
          "hitl chat 'Transfer 200 to ABC123'",
          "hitl chat --agent gemini 'Fix the failing test'",
          "printf '%s\\n' 'Transfer 200 to ABC123' y | hitl chat --model demo",
        ]),
      )
      .action(runs(() => chat)),
  resume: (program, runs) =>
    addAgentOption(addReplyOptions(addFlowOptions(program.command('resume'), 'resume')))
      .argument('[id]', 'session id, or a unique prefix; without it, choose from a list')
      .option('--last', 'most recent session')
      .description('Resume a session, starting with its open questions')
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
      .argument('[flow]', 'workflow: a module that exports one, a graph file, or a folder with a `flow` file')
      .argument('[input...]', 'value of `input` in the initial state')
      .option('--again <id>', 'start with this session’s inputs; other flags override them')
      .addOption(new Option('--set <key=value>', 'set an initial state value').argParser(stateEntry))
      .addOption(new Option('--before <node>', 'stop before this node (* for all)').argParser(collected))
      .addOption(new Option('--after <node>', 'stop after this node (* for all)').argParser(collected))
      .addOption(
        new Option('--max-iterations <n>', 'number of nodes to enter before asking').argParser(
          wholeNumber(1, 1_000_000),
        ),
      )
      .addOption(new Option('--seed <n>', 'seed for weighted edges').argParser(wholeNumber(0, 2 ** 31)))
      .option('--expect <file>', 'compare the run with this file (exit status 9 if they differ)')
      .description('Run a workflow; stops at gates and questions')
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
      .argument('[id]', 'session id, or a unique prefix')
      .argument('[answer...]', 'answer, as at the prompt: y, n <reason>, edit {json}, …')
      .option('--last', 'most recent session; fails if several sessions have open questions')
      .option('--interrupt <id>', 'question to answer, if several are open')
      .option('--digest <digest>', 'digest shown with the question; required to approve')
      .option('--any', 'approve the open question without a digest')
      .option('--run', 'then continue unattended')
      .description('Answer an open question without running anything')
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

/** Commands that are started by other programs: `acp` by editors, `ask` by scripts. */
export const ASKING: CommandTable = {
  acp: (program, runs) =>
    addApprovalOptions(addOfferOptions(program.command('acp'), 'acp'))
      .description('Run as an editor’s agent: Zed, JetBrains, Neovim (Agent Client Protocol)')
      .addHelpText(
        'before',
        examples(['hitl acp', 'hitl acp --model anthropic:claude-opus-4-8 --mode accept-edits']),
      )
      .action(runs(() => acp)),
  ask: (program, runs) =>
    addSessionOptions(program.command('ask'))
      .argument('[question...]', 'question; asks for approval by default')
      .option('--yes-no', 'ask for approval (default)')
      .option('--choices <list>', 'choices, separated by commas: eu,us')
      .option('--text', 'accept any text as the answer')
      .option('--form <file>', 'file with a form’s JSON Schema: an object with flat fields')
      .addOption(
        new Option('--facts <name=value>', 'detail to show with the question; repeatable').argParser(
          textEntry,
        ),
      )
      .option('--diff <file>', 'file with a unified diff to show with the question')
      .option('--key <key>', 'idempotency key; asking again with it returns the same question')
      .option('--timeout <duration>', 'time limit for the answer: 2h, 2d')
      .addOption(
        new Option('--on-timeout <outcome>', 'outcome when the time limit expires (default: reject)').choices(
          ['reject', 'cancel'],
        ),
      )
      .option('--approvers <people>', "required approvers: '2 of @ops', 'ann, bob'")
      .option('--id <id>', 'id of an earlier question to wait for, instead of asking a new one')
      .addOption(
        new Option('--wait <duration>', 'how long to wait for the answer (default: no limit)').argParser(
          valueOf({ type: 'duration' }),
        ),
      )
      .option('--detach', 'print the id and do not wait')
      .description('Ask a person from a script, and print the answer')
      .addHelpText(
        'before',
        examples([
          "hitl ask 'Deploy 2.1 to eu?' --key deploy-2.1 && ./deploy.sh",
          "region=$(hitl ask 'Which region?' --choices eu,us --wait 10m)",
          'hitl ask --id ask-1f3k8sd02mvx --wait 10m --json',
        ]),
      )
      .action(runs(() => ask)),
};

/** The `demo` command, in a separate table because the help lists it last. */
export const TOUR: CommandTable = {
  demo: (program, runs) =>
    addCommonOptions(program.command('demo'))
      .description('Take a two-minute tour with the built-in demo model')
      .action(runs(() => demo)),
};
