import { Command, Option } from 'commander';
import { invariant } from '../src/core/index.js';
import { exitCodesText } from './exit-codes.js';
import { collected, stateEntry, wholeNumber } from './flag-values.js';
import type { Io } from './io.js';
import { addCommonOptions, addFlowOptions, addRunOptions } from './options.js';
import type { Runs } from './program-parts.js';
import { examples } from './program-parts.js';
import { flowCommands, steeringCommands } from './program-steering.js';

export interface Program {
  readonly command: Command;
  /** The status that the command which ran ended with. */
  status(): number;
}

/** Builds the program. Nothing but commander is loaded until a command runs. */
export function buildProgram(io: Io, version: string): Program {
  let status = 0;
  const program = new Command('hitl');
  const runs: Runs =
    (load) =>
    async (...given) => {
      // commander passes the arguments, then the flags, then the command.
      const command = given.at(-1);
      invariant(command instanceof Command, 'commander passes the command last');
      const handler = await load();
      status = await handler(io, given.slice(0, -2), command.opts(), program);
    };

  program
    .description('Agent sessions with a human in the loop.')
    .version(version, '-V, --version')
    .helpCommand('help [command]', 'help for a command; `hitl help exit-codes` lists the exit statuses')
    .showSuggestionAfterError(true)
    .showHelpAfterError(false)
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: () => undefined, // main reports it
    })
    .exitOverride();

  conversationCommands(program, runs);
  sessionCommands(program, runs);
  infoCommands(program, runs);
  for (const command of program.commands.flatMap((one) => [one, ...one.commands]))
    command.exitOverride().configureOutput(program.configureOutput());
  return { command: program, status: () => status };
}

function conversationCommands(program: Command, runs: Runs): void {
  addRunOptions(program.command('chat'))
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
    .action(runs(async () => (await import('./chat.js')).chat));

  addFlowOptions(program.command('resume'))
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
    .action(runs(async () => (await import('./resume.js')).resume));

  addFlowOptions(program.command('run'))
    .argument('<flow>', 'a workflow: a module that exports a graph, or a folder with a `flow` file')
    .argument('[input...]', 'the `input` of its state')
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
        'hitl resume --last',
      ]),
    )
    .action(runs(async () => (await import('./run.js')).run));

  addRunOptions(program.command('answer'))
    .argument('<id>', 'a session, by a prefix of its id')
    .argument('[answer...]', 'an answer, as at the prompt: y, n <reason>, edit {json}, …')
    .option('--interrupt <id>', 'which interrupt, where several are open')
    .option('--run', 'go on afterwards, unattended')
    .description('resolve an open interrupt without running anything')
    .addHelpText(
      'before',
      examples(['hitl answer 01k y', "hitl answer 01k --interrupt i2 'n use the savings account'"]),
    )
    .action(runs(async () => (await import('./answer.js')).answer));

  steeringCommands(program, runs);
  flowCommands(program, runs);

  addRunOptions(program.command('demo'))
    .description('a guided two-minute tour with the built-in demo model')
    .action(runs(async () => (await import('./demo.js')).demo));
}

function sessionCommands(program: Command, runs: Runs): void {
  addCommonOptions(program.command('inbox'))
    .description('every open interrupt of every session')
    .action(runs(async () => (await import('./inbox.js')).inbox));

  addCommonOptions(program.command('list').alias('ls'))
    .description('sessions, newest first')
    .addOption(
      new Option('--state <state>', 'only these').choices([
        'done',
        'waiting',
        'interrupted',
        'failed',
        'running',
        'unreadable',
      ]),
    )
    .option('--search <text>', 'only sessions whose id or title contains it')
    .addOption(new Option('--limit <n>', 'at most so many').argParser(wholeNumber(1, 1_000_000)))
    .action(runs(async () => (await import('./list.js')).list));

  addCommonOptions(program.command('show'))
    .argument('<id>', 'a session, by a prefix of its id')
    .option('--events', "the journal's events as JSON lines")
    .option('--effects', 'what tools really did')
    .description('the transcript of a session')
    .action(runs(async () => (await import('./show.js')).show));

  addCommonOptions(program.command('why'))
    .argument('<id>', 'a session, by a prefix of its id')
    .argument('[what]', 'only about this interrupt, call or tool')
    .description('who decided what, when, on which input, and what ran because of it')
    .addHelpText('before', examples(['hitl why 01k', 'hitl why 01k i2', 'hitl why 01k transferMoney --json']))
    .action(runs(async () => (await import('./why.js')).why));

  const audit = program.command('audit').description('check sessions from their files alone');
  addCommonOptions(audit.command('verify'))
    .argument('<id>', 'a session, by a prefix of its id')
    .description('check checksums, chain, digests, approvals and what ran for them; status 5 where it breaks')
    .action(runs(async () => (await import('./audit.js')).auditVerify));

  addCommonOptions(program.command('export'))
    .argument('<id>', 'a session, by a prefix of its id')
    .addOption(
      new Option('--format <format>', 'the form of the document')
        .choices(['json', 'genkit', 'anthropic', 'markdown'])
        .default('json'),
    )
    .option('--redact', 'mask keys and secrets')
    .option('--output <file>', 'write to a file; - is stdout', '-')
    .description('write the transcript document')
    .action(runs(async () => (await import('./export.js')).exportSession));

  addCommonOptions(program.command('import'))
    .argument('<file>', 'a transcript document; - reads stdin')
    .description('make a session from a transcript; approvals inside it are void')
    .action(runs(async () => (await import('./import.js')).importSession));

  addCommonOptions(program.command('rm'))
    .argument('<id...>', 'sessions, by prefixes of their ids')
    .option('-y, --yes', 'do not ask')
    .description('delete sessions, after asking')
    .action(runs(async () => (await import('./remove.js')).remove));
}

function infoCommands(program: Command, runs: Runs): void {
  addRunOptions(program.command('tools'))
    .description('the tools that would be offered, with origin, effect, schema and rule')
    .action(runs(async () => (await import('./tools.js')).tools));

  ruleCommands(program, runs);

  addRunOptions(program.command('config'))
    .description('the effective configuration, and where each value comes from')
    .action(runs(async () => (await import('./config.js')).config));

  addCommonOptions(program.command('doctor'))
    .argument('[id]', 'a session to check')
    .option('--repair', 'mend what can be mended, with a backup')
    .option('--salvage', 'copy the readable part of a damaged session to a new one')
    .option('--unlock', 'take over the lock of a process that is gone')
    .description('check the installation, the model and the store, or one session')
    .action(runs(async () => (await import('./doctor.js')).doctor));

  program
    .command('completion')
    .argument('<shell>', 'bash, zsh or fish')
    .description('print a completion script')
    .action(runs(async () => (await import('./completion.js')).completion));

  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(runs(async () => (await import('./completion.js')).complete));

  program.addHelpText('after', `\nExit statuses:\n${exitCodesText()}`);
}

function ruleCommands(program: Command, runs: Runs): void {
  const rules = program
    .command('rules')
    .description('what is allowed, asked and denied without you: list, add, remove, test')
    .addHelpText(
      'before',
      examples([
        'hitl rules',
        'hitl rules add deny run_command git push',
        "hitl rules add allow 'run_command npm test'",
        'hitl rules test run_command \'{"command":"rm -rf build"}\'',
      ]),
    );
  const ofSession = (): Option =>
    new Option('--session <id>', 'also what was approved for the rest of this session');
  addCommonOptions(rules.command('list', { isDefault: true }))
    .addOption(ofSession())
    .description('every rule in force here, and where it stands')
    .action(runs(async () => (await import('./rules.js')).rules));
  addCommonOptions(rules.command('add'))
    .argument('<effect>', 'allow, ask or deny')
    .argument('<rule...>', 'a tool, *, or run_command with the first words of a command; quote those with -')
    .description('add a rule to your configuration')
    .action(runs(async () => (await import('./rules-change.js')).addRule));
  addCommonOptions(rules.command('remove'))
    .argument('<effect>', 'allow, ask or deny; always with --session')
    .argument('<rule...>', 'as `hitl rules` lists it')
    .addOption(new Option('--session <id>', 'take back what was approved for the rest of this session'))
    .description('remove a rule from your configuration, or from a session')
    .action(runs(async () => (await import('./rules-change.js')).removeRule));
  addRunOptions(rules.command('test'))
    .argument('<tool>', 'the name of a tool')
    .argument('[input]', 'its input, as JSON')
    .addOption(ofSession())
    .description('what would happen to a call, and why; nothing runs')
    .action(runs(async () => (await import('./rules-test.js')).testRules));
}
