import type { Command } from 'commander';
import { Option } from 'commander';
import { addCommonOptions, addOfferOptions, addSessionOptions, logOption } from '../flags/options.js';
import { collected, durationOrNone, valueOf, wholeNumber } from '../flags/flag-values.js';
import type { CommandTable, Runs } from './command-parts.js';
import { examples } from './command-parts.js';
import { inbox } from '../inbox.js';
import { serve } from '../serve.js';
import { list } from '../list.js';
import { show } from '../show.js';
import { why } from '../why.js';
import { exportSession } from '../export.js';
import { importSession } from '../import.js';
import { copy } from '../copy.js';
import { remove } from '../remove.js';
import { prune } from '../prune.js';
import { auditVerify } from '../audit.js';

/** Commands about sessions that are there. */
export const SESSION_COMMANDS: CommandTable = {
  inbox: (program, runs) =>
    addSessionOptions(program.command('inbox'))
      .description('every open interrupt of every session')
      .option('--all', 'every one, and also what waits for time, or for an event')
      .addOption(
        new Option('--limit <n>', 'at most so many, also with --json (default: 50)').argParser(
          wholeNumber(1, 1_000_000),
        ),
      )
      .action(runs(() => inbox)),
  serve: (program, runs) =>
    addOfferOptions(program.command('serve'), 'serve')
      .addOption(
        new Option('--port <n>', 'where it listens; 0 is one that is free (default: 4680)').argParser(
          wholeNumber(0, 65_535),
        ),
      )
      .option(
        '--listen <address>',
        'address of this machine, or unix:/path (default: 127.0.0.1); another one needs --auth',
      )
      .addOption(
        new Option('--auth <way>', 'how people are known, instead of by one link').choices([
          'token-file',
          'oidc-proxy',
        ]),
      )
      .option(
        '--token-file <file>',
        'a name and a token on each line: ann <token> groups=ops roles=answer,read',
      )
      .addOption(
        new Option('--proxy-headers <family>', 'headers by which the proxy names people').choices([
          'x-auth-request',
          'x-forwarded',
        ]),
      )
      .option('--proxy-secret <file>', 'secret that the proxy sends as X-Hitl-Proxy-Secret; mode 600')
      .addOption(
        new Option('--trusted-proxy <ip>', 'IP address from which the secret counts; repeatable').argParser(
          collected,
        ),
      )
      .addOption(
        new Option(
          '--roles <@group=roles>',
          'roles of a group of the proxy: @ops=answer,read; repeatable',
        ).argParser(collected),
      )
      .option('--issuer <name>', 'who signs people in at the proxy: https://login.example.org')
      .option('--url <address>', 'how people reach it: https://hitl.example.org')
      .option(
        '--agent [name]',
        'run an agent for programs: POST /v1/sessions and /agui; --model, --tools say which',
      )
      .addOption(
        new Option('--slots <n>', 'with --agent: sessions at the same time (default: 32)').argParser(
          wholeNumber(1, 1000),
        ),
      )
      .addOption(
        new Option(
          '--drain <duration>',
          'with --agent: how long SIGTERM lets what runs go on to its rest (default: 30s)',
        ).argParser(durationOrNone),
      )
      .addOption(logOption())
      .description('answer in a browser, and by programs: pages, JSON, events')
      .addHelpText(
        'before',
        examples([
          'hitl serve',
          'hitl serve --listen 10.0.0.5 --auth token-file --token-file people.txt --url https://hitl.example.org',
        ]),
      )
      .action(runs(() => serve)),
  list: (program, runs) =>
    addSessionOptions(program.command('list').alias('ls'))
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
      .option('--text <words>', 'only sessions in which anybody said it: people, models and tools')
      .option('--all', 'every one')
      .addOption(
        new Option('--limit <n>', 'at most so many, also with --json (default: 50)').argParser(
          wholeNumber(1, 1_000_000),
        ),
      )
      .action(runs(() => list)),
  show: (program, runs) =>
    addSessionOptions(program.command('show'))
      .argument('[id]', 'a session, by a prefix of its id')
      .option('--last', 'the newest session')
      .option('--events', "the journal's events as JSON lines")
      .option('--effects', 'what tools really did')
      .description('the transcript of a session')
      .action(runs(() => show)),
  why: (program, runs) =>
    addSessionOptions(program.command('why'))
      .argument('[id]', 'a session, by a prefix of its id')
      .argument('[what]', 'only about this interrupt, call or tool')
      .option('--last', 'the newest session')
      .description('who decided what, when, on which input, and what ran because of it')
      .addHelpText(
        'before',
        examples(['hitl why 01k', 'hitl why --last i2', 'hitl why 01k transferMoney --json']),
      )
      .action(runs(() => why)),
  audit: auditCommand,
  export: (program, runs) =>
    addSessionOptions(program.command('export'))
      .argument('<id>', 'a session, by a prefix of its id')
      .addOption(
        new Option('--format <format>', 'the form of the document')
          .choices(['json', 'genkit', 'anthropic', 'markdown'])
          .default('json'),
      )
      .option('--redact', 'mask keys and secrets')
      .option('--output <file>', 'write to a file; - is stdout', '-')
      .description('write the transcript document')
      .action(runs(() => exportSession)),
  import: (program, runs) =>
    addSessionOptions(program.command('import'))
      .argument('<file>', 'a transcript document; - reads stdin')
      .description('make a session from a transcript; approvals inside it are void')
      .action(runs(() => importSession)),
  copy: (program, runs) =>
    addCommonOptions(program.command('copy'))
      .argument('[id...]', 'sessions, by prefixes of their ids; default: all')
      .option('--from <place>', 'a folder of sessions, or postgres://…; default: where sessions are')
      .requiredOption('--to <place>', 'a folder of sessions, or postgres://…')
      .description('copy sessions to another place, byte for byte; what is there stays as it is')
      .addHelpText(
        'before',
        examples([
          'hitl copy --to postgres://hitl@db.example/hitl',
          'hitl copy 01k --from postgres://hitl@db.example/hitl --to ./sessions',
        ]),
      )
      .action(runs(() => copy)),
  rm: (program, runs) =>
    addSessionOptions(program.command('rm'))
      .argument('<id...>', 'sessions, by prefixes of their ids')
      .option('-y, --yes', 'do not ask')
      .description('delete sessions, after asking')
      .action(runs(() => remove)),
  prune: (program, runs) =>
    addSessionOptions(program.command('prune'))
      .requiredOption(
        '--older-than <time>',
        'without a change for so long: 30d, 12h',
        valueOf({ type: 'duration' }),
      )
      .option('--keep-open', 'keep also what stopped before its end')
      .option('-y, --yes', 'delete them; without it they are only listed')
      .description('delete old sessions in which nobody is asked and nothing is in doubt')
      .addHelpText('before', examples(['hitl prune --older-than 30d', 'hitl prune --older-than 30d --yes']))
      .action(runs(() => prune)),
};

function auditCommand(program: Command, runs: Runs): Command {
  const audit = program.command('audit').description('check sessions from their files alone');
  addSessionOptions(audit.command('verify'))
    .argument('<id>', 'a session, by a prefix of its id')
    .description('check checksums, chain, digests, approvals and what ran for them; status 5 where it breaks')
    .action(runs(() => auditVerify));
  return audit;
}
