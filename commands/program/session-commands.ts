import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import { Option } from '@commander-js/extra-typings';
import { addCommonOptions, addOfferOptions, addSessionOptions, logOption } from '../flags/options.js';
import { collected, durationOrNone, valueOf, wholeNumber } from '../flags/flag-values.js';
import type { CommandTable, Runs } from './command-parts.js';
import { examples } from './command-parts.js';
import { inbox } from '../inbox.js';
import { serve } from '../serve.js';
import { list } from '../list.js';
import { show } from '../show.js';
import { why } from '../why.js';
import { review } from '../review.js';
import { exportSession } from '../export.js';
import { importSession } from '../import.js';
import { copy } from '../copy.js';
import { remove } from '../remove.js';
import { prune } from '../prune.js';
import { auditVerify } from '../audit.js';

/** Commands about existing sessions. */
export const SESSION_COMMANDS: CommandTable = {
  inbox: (program, runs) =>
    addSessionOptions(program.command('inbox'))
      .description('List open questions in all sessions')
      .option('--all', 'show all, including runs waiting for a timer or an event')
      .addOption(
        new Option('--limit <n>', 'maximum number of rows; also applies to --json (default: 50)').argParser(
          wholeNumber(1, 1_000_000),
        ),
      )
      .action(runs(() => inbox)),
  serve: (program, runs) =>
    addOfferOptions(program.command('serve'), 'serve')
      .addOption(
        new Option('--port <n>', 'port; 0 picks a free one (default: 4680)').argParser(
          wholeNumber(0, 65_535),
        ),
      )
      .option(
        '--listen <address>',
        'address to listen on, or unix:/path (default: 127.0.0.1); a public address requires --auth',
      )
      .addOption(
        new Option('--auth <way>', 'sign-in method (default: a link for you only)').choices([
          'token-file',
          'oidc-proxy',
        ]),
      )
      .option(
        '--token-file <file>',
        'file with a name and a token on each line: ann <token> groups=ops roles=answer,read',
      )
      .addOption(
        new Option('--proxy-headers <family>', 'headers that the proxy uses to identify users').choices([
          'x-auth-request',
          'x-forwarded',
        ]),
      )
      .option(
        '--proxy-secret <file>',
        'file with the secret that the proxy sends as X-Hitl-Proxy-Secret; mode 600',
      )
      .addOption(
        new Option('--trusted-proxy <ip>', 'IP address that may send the secret; repeatable').argParser(
          collected,
        ),
      )
      .addOption(
        new Option(
          '--roles <@group=roles>',
          'roles for a proxy group: @ops=answer,read; repeatable',
        ).argParser(collected),
      )
      .option('--issuer <name>', 'the proxy’s identity provider: https://login.example.org')
      .option('--url <address>', 'public URL of this server: https://hitl.example.org')
      .option(
        '--agent [name]',
        'run an agent for programs (POST /v1/sessions, /agui); configure it with --model and --tools',
      )
      .addOption(
        new Option(
          '--slots <n>',
          'with --agent: maximum number of concurrent sessions (default: 32)',
        ).argParser(wholeNumber(1, 1000)),
      )
      .addOption(
        new Option(
          '--drain <duration>',
          'with --agent: time for running sessions to stop after SIGTERM (default: 30s)',
        ).argParser(durationOrNone),
      )
      .addOption(logOption())
      .description('Serve a web page and an HTTP API for answering questions')
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
      .description('List sessions, newest first')
      .addOption(
        new Option('--state <state>', 'only sessions in this state').choices([
          'done',
          'waiting',
          'interrupted',
          'failed',
          'running',
          'unreadable',
        ]),
      )
      .option('--search <text>', 'only sessions whose id or title contains this text')
      .option(
        '--text <words>',
        'only sessions whose messages (from users, models and tools) contain these words',
      )
      .option('--all', 'show all')
      .addOption(
        new Option('--limit <n>', 'maximum number of rows; also applies to --json (default: 50)').argParser(
          wholeNumber(1, 1_000_000),
        ),
      )
      .action(runs(() => list)),
  show: (program, runs) =>
    addSessionOptions(program.command('show'))
      .argument('[id]', 'session id, or a unique prefix')
      .option('--last', 'most recent session')
      .option('--events', "print the journal's events as JSON lines")
      .option('--effects', 'list effects, with approvals and results')
      .option('--full', 'show long values in full')
      .description('Show a session transcript')
      .action(runs(() => show)),
  why: (program, runs) =>
    addSessionOptions(program.command('why'))
      .argument('[id]', 'session id, or a unique prefix')
      .argument('[what]', 'only this question, call or tool')
      .option('--last', 'most recent session')
      .description('Explain who approved what, and what ran')
      .addHelpText(
        'before',
        examples([
          'hitl why 01k',
          'hitl why --last transfer_money',
          'hitl why 01k --verbose',
          'hitl why 01k --json',
        ]),
      )
      .action(runs(() => why)),
  review: (program, runs) =>
    addSessionOptions(program.command('review'))
      .argument('[id]', 'session id, or a unique prefix; default: all sessions')
      .option('--last', 'most recent session')
      .addOption(
        new Option('--since <time>', 'only calls started within this time: 2d, 12h').argParser(
          valueOf({ type: 'duration' }),
        ),
      )
      .option('--all', 'include calls marked as seen')
      .option('--mark-seen', 'mark the shown sessions as seen')
      .addOption(
        new Option('--limit <n>', 'maximum number of sessions (default: 50)').argParser(
          wholeNumber(1, 1_000_000),
        ),
      )
      .description('List calls that ran without your approval')
      .addHelpText(
        'before',
        examples([
          'hitl review',
          'hitl review 01k --verbose',
          'hitl review --since 2d --json',
          'hitl review --mark-seen',
        ]),
      )
      .action(runs(() => review)),
  audit: auditCommand,
  export: (program, runs) =>
    addSessionOptions(program.command('export'))
      .argument('<id>', 'session id, or a unique prefix')
      .addOption(
        new Option('--format <format>', 'document format')
          .choices(['json', 'genkit', 'anthropic', 'markdown'])
          .default('json'),
      )
      .option('--redact', 'mask keys and secrets')
      .option('--output <file>', 'write to a file (- for stdout)', '-')
      .description('Export the transcript as a document')
      .action(runs(() => exportSession)),
  import: (program, runs) =>
    addSessionOptions(program.command('import'))
      .argument('<file>', 'transcript document; - reads stdin')
      .description('Create a session from a transcript (its approvals do not carry over)')
      .action(runs(() => importSession)),
  copy: (program, runs) =>
    addCommonOptions(program.command('copy'))
      .argument('[id...]', 'session ids, or unique prefixes; default: all')
      .option('--from <place>', 'sessions folder, or postgres://…; default: your sessions')
      .requiredOption('--to <place>', 'sessions folder, or postgres://…')
      .description('Copy sessions to another store; never overwrites')
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
      .argument('<id...>', 'session ids, or unique prefixes')
      .option('-y, --yes', 'do not ask for confirmation')
      .description('Delete sessions (asks first)')
      .action(runs(() => remove)),
  prune: (program, runs) =>
    addSessionOptions(program.command('prune'))
      .requiredOption(
        '--older-than <time>',
        'minimum time since the last change: 30d, 12h',
        valueOf({ type: 'duration' }),
      )
      .option('--keep-open', 'also keep unfinished sessions')
      .option('-y, --yes', 'delete the sessions; without this flag, they are only listed')
      .description('Delete old sessions that have no open questions and no calls in doubt')
      .addHelpText('before', examples(['hitl prune --older-than 30d', 'hitl prune --older-than 30d --yes']))
      .action(runs(() => prune)),
};

function auditCommand(program: Command, runs: Runs): CommandUnknownOpts {
  const audit = program.command('audit').description('Verify session files (checksums, approvals, what ran)');
  addSessionOptions(audit.command('verify'))
    .argument('<id>', 'session id, or a unique prefix')
    .description('Verify checksums, chain, digests, approvals and what ran (exit status 5 if broken)')
    .action(runs(() => auditVerify));
  return audit;
}
