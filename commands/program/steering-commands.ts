import { Option } from '@commander-js/extra-typings';
import { addFlowOptions, addSessionOptions, logOption } from '../flags/options.js';
import {
  collected,
  durationOrNone,
  listenPlace,
  recordOrPlace,
  valueOf,
  wholeNumber,
} from '../flags/flag-values.js';
import type { CommandTable } from './command-parts.js';
import { examples } from './command-parts.js';
import { send, pause, cancel, queue } from '../send.js';
import { tick } from '../tick.js';
import { worker } from '../worker.js';
import { graph } from '../graph.js';
import { testReplay } from '../test-replay.js';
import { migrateAny } from '../migrate-many.js';
import { fork, rewind } from '../rewind.js';
import { rerun, skip } from '../rerun.js';

/** Commands that control a running session from another terminal. */
export const STEERING_COMMANDS: CommandTable = {
  send: (program, runs) =>
    addSessionOptions(program.command('send'))
      .argument('<id>', 'session id, or a unique prefix')
      .argument('[text...]', 'message; - reads all of stdin')
      .option('--action <name>', 'action: skip, go-back, rerun, update-state, defer, pause, …')
      .option('--params <json>', 'action parameters')
      .option('--event <name>', 'external event, for a workflow that waits for it')
      .option('--data <json>', 'event data')
      .addOption(
        new Option('--priority <priority>', 'delivery priority').choices(['low', 'normal', 'urgent']),
      )
      .option('--target <node>', 'target node; the message is delivered when the run reaches it')
      .option('--id <id>', 'idempotency key; a repeated id is ignored')
      .addOption(
        new Option(
          '--expires <duration>',
          'drop the message if it is not delivered within this time: 10m, 2h',
        ).argParser(valueOf({ type: 'duration' })),
      )
      .description('Send a message to a session; delivered at its next safe point')
      .addHelpText(
        'before',
        examples([
          "hitl send 01k 'mention the new price'",
          'hitl send 01k --action skip --target legal',
          'hitl send 01k --action go-back --params \'{"steps":1}\'',
          'hitl send 01k --event build --data \'{"ok":true}\'',
        ]),
      )
      .action(runs(() => send)),
  pause: (program, runs) =>
    addSessionOptions(program.command('pause'))
      .argument('<id>', 'session id, or a unique prefix')
      .argument('[reason...]', 'reason, shown to the approver')
      .description('Pause a run after the current step')
      .action(runs(() => pause)),
  tick: (program, runs) =>
    addFlowOptions(program.command('tick'), 'tick')
      .addOption(
        new Option(
          '--folder <dir>',
          'folder to serve in addition to the current one, for --trust and for sessions in a database; repeatable',
        ).argParser(collected),
      )
      .description('Resume every session that is due (a timer or an event), then exit')
      .addHelpText(
        'before',
        examples(['hitl tick', '* * * * * hitl tick --quiet   # in a crontab', 'hitl tick --json']),
      )
      .action(runs(() => tick)),
  worker: (program, runs) =>
    addFlowOptions(program.command('worker'), 'worker')
      .option('--slots <n>', 'maximum number of concurrent sessions; default: 1', wholeNumber(1, 1000))
      .addOption(
        new Option('--folder <dir>', 'also resume this folder’s sessions; repeatable').argParser(collected),
      )
      .addOption(
        new Option(
          '--drain <duration>',
          'time for running sessions to stop after SIGTERM; 0 stops them immediately (default: 30s)',
        ).argParser(durationOrNone),
      )
      .addOption(
        new Option(
          '--listen <address:port>',
          'serve /metrics, /healthz and /readyz without authentication, on 127.0.0.1:9464 for example',
        ).argParser(listenPlace),
      )
      .addOption(logOption())
      .description('Run as a daemon: resume sessions that are due, were answered or have crashed')
      .addHelpText(
        'before',
        examples(['hitl worker --slots 4 --store postgres://hitl@db.example/hitl', 'hitl worker --drain 5m']),
      )
      .action(runs(() => worker)),
  cancel: (program, runs) =>
    addSessionOptions(program.command('cancel'))
      .argument('<id>', 'session id, or a unique prefix')
      .argument('[reason...]', 'reason')
      .description('Stop a run immediately (it can be resumed)')
      .action(runs(() => cancel)),
  queue: (program, runs) =>
    addSessionOptions(program.command('queue'))
      .argument('<id>', 'session id, or a unique prefix')
      .addOption(new Option('--page <n>', 'page number').argParser(wholeNumber(1, 1_000_000)))
      .addOption(new Option('--page-size <n>', 'messages per page').argParser(wholeNumber(1, 1_000)))
      .option('--after <place>', '`next` from the previous page; no message is missed or shown twice')
      .option('--clear', 'remove all queued messages')
      .addOption(new Option('--remove <message>', 'remove one message; repeatable').argParser(collected))
      .option('--metrics', 'print counts of sent, delivered, dropped and refused messages as JSON')
      .description('List queued messages, in delivery order')
      .action(runs(() => queue)),
};

/** Commands that work with workflows or go back in a session. */
export const FLOW_COMMANDS: CommandTable = {
  graph: (program, runs) =>
    addSessionOptions(program.command('graph'))
      .argument('<flow>', 'workflow, as for `run`; its module is loaded')
      .addOption(new Option('--format <format>', 'drawing format').choices(['text', 'mermaid', 'json']))
      .option('--session <id>', 'mark this session’s progress')
      .option('--trust', 'trust the modules found, in their current state')
      .option('--no-trust', 'load only files that are already trusted')
      .description('Draw a workflow')
      .addHelpText(
        'before',
        examples(['hitl graph examples/publish', 'hitl graph examples/publish --format mermaid']),
      )
      .action(runs(() => graph)),
  'test-replay': (program, runs) =>
    addSessionOptions(program.command('test-replay'))
      .argument('<flow>', 'workflow, as for `run`; its module is loaded')
      .argument('[id]', 'session id, or a unique prefix')
      .option('--all', 'check all unfinished sessions of this workflow, with a summary')
      .option('--trust', 'trust the modules found, in their current state')
      .option('--no-trust', 'load only files that are already trusted')
      .description('Check changed code against a session’s history (runs nothing)')
      .action(runs(() => testReplay)),
  migrate: (program, runs) =>
    addSessionOptions(program.command('migrate'))
      .argument('[id]', 'session id, or a unique prefix')
      .argument('[flow]', 'target workflow; default: the current version of the one it started with')
      .option('--workflow <name>', 'instead of <id>: all unfinished sessions of this workflow, by one plan')
      .option('--dry-run', 'show the plan without changing anything')
      .option('--agree <plan>', 'migrate only if this is still the current plan')
      .option('--format', 'only rewrite a session file written by an older version')
      .option('--keep-approvals', 'keep approvals of calls that have not run yet, for the changed code')
      .option('--trust', 'trust the modules found, in their current state')
      .option('--no-trust', 'load only files that are already trusted')
      .description('Move a session to a new version of its workflow (runs nothing)')
      .addHelpText(
        'before',
        examples([
          'hitl migrate 01k --dry-run',
          'hitl migrate 01k',
          'hitl migrate 01k --agree 3f2a91c04d7e',
          'hitl migrate --workflow deploy --dry-run',
          'hitl migrate 01k --keep-approvals',
        ]),
      )
      .action(runs(() => migrateAny)),
  fork: (program, runs) =>
    addSessionOptions(program.command('fork'))
      .argument('<id>', 'session id, or a unique prefix')
      .addOption(
        new Option(
          '--at <record|place>',
          'last event to copy, or (in a workflow) the step to stop before: `review@2`, `healthy#2`',
        ).argParser(recordOrPlace),
      )
      .description('Fork a session at an earlier point (effects are not undone)')
      .action(runs(() => fork)),
  rewind: (program, runs) =>
    addSessionOptions(program.command('rewind'))
      .argument('<id>', 'session id, or a unique prefix')
      .requiredOption(
        '--to <place>',
        'node (`review`, `review@1`) or operation (`healthy#2`) to go back to; in a chat, the last event to keep',
      )
      .option('--files', 'restore files changed since then by `write_file` and `edit_file`')
      .option('--conversation', 'go back in the conversation (the default; with --files, both)')
      .option('--overwrite', 'with --files: also restore files changed since then by something else')
      .option('--dry-run', 'only list the files, and the effects that are not undone')
      .description('Rewind a session, and its files with --files (other effects are not undone)')
      .addHelpText(
        'before',
        examples([
          'hitl rewind 01k --to 12',
          'hitl rewind 01k --to 12 --files --dry-run',
          'hitl rewind 01k --to 12 --files --conversation',
        ]),
      )
      .action(runs(() => rewind)),
  rerun: (program, runs) =>
    addFlowOptions(program.command('rerun'), 'rerun')
      .argument('<id>', 'session id, or a unique prefix')
      .requiredOption('--from <place>', 'operation (`deploy#2`) or node (`review@2`)')
      .option('--again', 'repeat effects without asking')
      .option('--dry-run', 'only list the effects that would be repeated')
      .description('Rerun a workflow from a step (first lists the effects it would repeat)')
      .addHelpText(
        'before',
        examples(['hitl rerun 01k --from deploy#2', 'hitl rerun 01k --from deploy#2 --dry-run']),
      )
      .action(runs(() => rerun)),
  skip: (program, runs) =>
    addFlowOptions(program.command('skip'), 'skip')
      .argument('<id>', 'session id, or a unique prefix')
      .argument('<operation>', 'operation whose result to supply: `deploy#2`')
      .option('--output <json>', 'result value; default: null')
      .option('--again', 'repeat effects without asking')
      .option('--dry-run', 'only list the effects that would be repeated')
      .description('Supply an operation’s result by hand, and continue after it')
      .addHelpText('before', examples([`hitl skip 01k deploy#2 --output '{"version":"7"}'`]))
      .action(runs(() => skip)),
};
