import { Option } from 'commander';
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

/** Commands that reach a run from another terminal. */
export const STEERING_COMMANDS: CommandTable = {
  send: (program, runs) =>
    addSessionOptions(program.command('send'))
      .argument('<id>', 'a session, by a prefix of its id')
      .argument('[text...]', 'what to say; - is all of stdin')
      .option('--action <name>', 'what to do: skip, go-back, rerun, update-state, defer, pause, …')
      .option('--params <json>', 'what the action takes')
      .option('--event <name>', 'something that happened outside, for a workflow that waits for it')
      .option('--data <json>', 'what the event is about')
      .addOption(
        new Option('--priority <priority>', 'what is delivered first').choices(['low', 'normal', 'urgent']),
      )
      .option('--target <node>', 'the node that it is for: it waits until the run is there')
      .option('--id <id>', 'a name for it: the same one twice is sent once')
      .addOption(
        new Option('--expires <duration>', 'dropped if it still waits then: 10m, 2h').argParser(
          valueOf({ type: 'duration' }),
        ),
      )
      .description('send a message to a session: delivered at the next safe point of its run')
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
      .argument('<id>', 'a session, by a prefix of its id')
      .argument('[reason...]', 'why, for whoever answers')
      .description('stop a run at its next safe point; it asks how to go on')
      .action(runs(() => pause)),
  tick: (program, runs) =>
    addFlowOptions(program.command('tick'), 'tick')
      .addOption(
        new Option(
          '--folder <dir>',
          'a folder that it serves beside the one it is started in: for --trust, and for sessions of a database; repeat for more',
        ).argParser(collected),
      )
      .description(
        'go on with every session in which something is due: its time is over, or an event has come',
      )
      .addHelpText(
        'before',
        examples(['hitl tick', '* * * * * hitl tick --quiet   # in a crontab', 'hitl tick --json']),
      )
      .action(runs(() => tick)),
  worker: (program, runs) =>
    addFlowOptions(program.command('worker'), 'worker')
      .option('--slots <n>', 'sessions at the same time; default: 1', wholeNumber(1, 1000))
      .addOption(
        new Option(
          '--folder <dir>',
          'a folder whose sessions it goes on with, beside the one it is started in; repeat for more',
        ).argParser(collected),
      )
      .addOption(
        new Option(
          '--drain <duration>',
          'how long SIGTERM lets what runs go on to its rest; 0 ends it at once (default: 30s)',
        ).argParser(durationOrNone),
      )
      .addOption(
        new Option(
          '--listen <address:port>',
          'serve /metrics, /healthz and /readyz there, to whoever can connect: 127.0.0.1:9464',
        ).argParser(listenPlace),
      )
      .addOption(logOption())
      .description('stay, and go on with every session that was answered, is due, or whose process is gone')
      .addHelpText(
        'before',
        examples(['hitl worker --slots 4 --store postgres://hitl@db.example/hitl', 'hitl worker --drain 5m']),
      )
      .action(runs(() => worker)),
  cancel: (program, runs) =>
    addSessionOptions(program.command('cancel'))
      .argument('<id>', 'a session, by a prefix of its id')
      .argument('[reason...]', 'why')
      .description('end a run at once, also while a model is silent; it can be resumed')
      .action(runs(() => cancel)),
  queue: (program, runs) =>
    addSessionOptions(program.command('queue'))
      .argument('<id>', 'a session, by a prefix of its id')
      .addOption(new Option('--page <n>', 'which page').argParser(wholeNumber(1, 1_000_000)))
      .addOption(new Option('--page-size <n>', 'how many on a page').argParser(wholeNumber(1, 1_000)))
      .option('--after <place>', '`next` of the page before: nothing is left out or shown twice')
      .option('--clear', 'take everything back that waits')
      .addOption(new Option('--remove <message>', 'take this one back').argParser(collected))
      .option('--metrics', 'what was sent, delivered, dropped, refused; as JSON')
      .description('what waits for a session, in the order of delivery')
      .action(runs(() => queue)),
};

/** Commands about workflows, and about going back. */
export const FLOW_COMMANDS: CommandTable = {
  graph: (program, runs) =>
    addSessionOptions(program.command('graph'))
      .argument('<flow>', 'a workflow, as for `run`; its module is loaded')
      .addOption(new Option('--format <format>', 'how it is drawn').choices(['text', 'mermaid', 'json']))
      .option('--session <id>', 'with what has happened in this session')
      .option('--trust', 'trust the modules that were found, as they are now')
      .option('--no-trust', 'load nothing that is not trusted already')
      .description('draw a workflow')
      .addHelpText(
        'before',
        examples(['hitl graph examples/publish', 'hitl graph examples/publish --format mermaid']),
      )
      .action(runs(() => graph)),
  'test-replay': (program, runs) =>
    addSessionOptions(program.command('test-replay'))
      .argument('<flow>', 'a workflow, as for `run`; its module is loaded')
      .argument('[id]', 'a session, by a prefix of its id')
      .option('--all', 'all sessions of this workflow that are not done, with a summary')
      .option('--trust', 'trust the modules that were found, as they are now')
      .option('--no-trust', 'load nothing that is not trusted already')
      .description('whether code does what a session has of it: the first difference; nothing runs')
      .action(runs(() => testReplay)),
  migrate: (program, runs) =>
    addSessionOptions(program.command('migrate'))
      .argument('[id]', 'a session, by a prefix of its id')
      .argument('[flow]', 'the workflow to move it to; default: the one that it began with, as it is now')
      .option('--workflow <name>', 'in the place of <id>: all sessions of it that are not done, by one plan')
      .option('--dry-run', 'show what it would be, and move nothing')
      .option('--agree <plan>', 'move it, where it is still the plan that was shown')
      .option('--format', 'rewrite the file of a session that an older version wrote, and nothing else')
      .option('--keep-approvals', 'let approvals that have not run yet count for the code as it is now')
      .option('--trust', 'trust the modules that were found, as they are now')
      .option('--no-trust', 'load nothing that is not trusted already')
      .description('move a session to a changed workflow: shows the difference and asks; nothing runs')
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
      .argument('<id>', 'a session, by a prefix of its id')
      .addOption(
        new Option(
          '--at <record|place>',
          'its last record, or in a workflow where it ends before: `review@2`, `healthy#2`',
        ).argParser(recordOrPlace),
      )
      .description('a new session with the same past; tells what stays done')
      .action(runs(() => fork)),
  rewind: (program, runs) =>
    addSessionOptions(program.command('rewind'))
      .argument('<id>', 'a session, by a prefix of its id')
      .requiredOption(
        '--to <place>',
        'in a workflow before `review`, `review@1` or, in code, `healthy#2`; in a chat behind a record',
      )
      .description('go back inside a session; tells what stays done')
      .action(runs(() => rewind)),
  rerun: (program, runs) =>
    addFlowOptions(program.command('rerun'), 'rerun')
      .argument('<id>', 'a session, by a prefix of its id')
      .requiredOption('--from <place>', 'the operation `deploy#2` of code, or the node `review@2`')
      .option('--again', 'what was done once may be done once more, unasked')
      .option('--dry-run', 'only show what would be done once more')
      .description('do a part of a workflow anew and go on; shows before what that repeats')
      .addHelpText(
        'before',
        examples(['hitl rerun 01k --from deploy#2', 'hitl rerun 01k --from deploy#2 --dry-run']),
      )
      .action(runs(() => rerun)),
  skip: (program, runs) =>
    addFlowOptions(program.command('skip'), 'skip')
      .argument('<id>', 'a session, by a prefix of its id')
      .argument('<operation>', 'the operation of code whose place a value takes: `deploy#2`')
      .option('--output <json>', 'the value; default: null')
      .option('--again', 'what was done once may be done once more, unasked')
      .option('--dry-run', 'only show what would be done once more')
      .description('take a value in the place of what a workflow did, or could not do, and go on behind it')
      .addHelpText('before', examples([`hitl skip 01k deploy#2 --output '{"version":"7"}'`]))
      .action(runs(() => skip)),
};
