import type { Command } from 'commander';
import { Option } from 'commander';
import type { ToolRule } from '../../src/core/index.js';
import { assertNever } from '../../src/core/index.js';
import type { ReadingCommand, SettingRow } from '../settings/row.js';
import type { SettingFlags, SettingKey } from '../settings/settings.js';
import { settingRows } from '../settings/settings.js';
import { SETTINGS } from '../settings/table.js';
import { collected, folderName, interruptAnswer, valueOf } from './flag-values.js';

export type OutputFormat = 'text' | 'json' | 'stream-json';

/** Flags that every command takes. */
export interface CommonFlags {
  readonly sessions?: string;
  /** The address of a database, in place of a folder. */
  readonly store?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** commander sets it to false for `--no-color`. */
  readonly color: boolean;
  /** commander sets it to false for `--no-input`. */
  readonly input: boolean;
  /** Has done its work when a command begins: the environment says it then. */
  readonly accessible?: boolean;
}

/** Flags shared by `chat` and `resume`, and by `answer` with `--run`: the settings, and what one run is told. */
export interface RunFlags extends CommonFlags, SettingFlags {
  /** Undefined: a person is asked. False: what is not trusted is left out. */
  readonly trust?: boolean;
  readonly builtinTools: boolean;
  readonly allowTool?: readonly string[];
  readonly denyTool?: readonly string[];
  readonly print?: boolean;
  readonly message?: string;
  /** Files that go with the first turn. */
  readonly attach?: readonly string[];
  /** A schema or the file of one, of a reply that is printed alone. */
  readonly jsonSchema?: string;
  readonly answers?: string;
  readonly answer?: readonly (readonly [string, string])[];
  readonly strictAnswers?: boolean;
  readonly recordAnswers?: string;
  readonly inputFormat: 'text' | 'ndjson';
  readonly allow?: readonly string[];
  readonly yes?: readonly string[];
  readonly dangerouslyApproveAll?: boolean;
  /** The reader of messages for a workflow. Undefined: the run's model, where it is one that reads. False: nobody. */
  readonly reasoner?: string | boolean;
  /** Waits for answers from elsewhere and for the time, where nobody sits. */
  readonly wait?: boolean;
  readonly outputFormat?: OutputFormat;
  /** Says that nobody sits here: stdin holds no answers. `hitl tick` says so, and no flag. */
  readonly isAlone?: boolean;
  /** The time for which SIGTERM lets a run go on, in milliseconds: `--drain` of `hitl worker`. */
  readonly drainMs?: number;
  /** Who named `tools`, where no flag did. */
  readonly toolsFrom?: 'configuration';
  /** Of the configuration and of the flags; there is no flag for them. */
  readonly rules?: readonly ToolRule[];
  /** commander sets it to false for `--no-save`. */
  readonly save: boolean;
}

/** The heading of flags that mean the same everywhere. */
const EVERYWHERE = 'With every command:';

/** Adds the flags that every command takes. */
export function addCommonOptions(command: Command): Command {
  const common = [
    new Option('--json', 'write one JSON document to stdout'),
    new Option('-q, --quiet', 'say only what was asked for'),
    new Option('-v, --verbose', 'say more; show the stack of an error'),
    settingOption('color', SETTINGS.color),
    new Option('--no-input', 'never ask on the terminal'),
    settingOption('accessible', SETTINGS.accessible),
  ];
  for (const option of common) command.addOption(option.helpGroup(EVERYWHERE));
  return command;
}

/** Adds the flags of commands that look into sessions. */
export function addSessionOptions(command: Command): Command {
  add(command, [settingOption('sessions', SETTINGS.sessions), settingOption('store', SETTINGS.store)]);
  return addCommonOptions(command);
}

/** Adds the flags of commands that run workflows. */
export function addFlowOptions(command: Command, name: ReadingCommand): Command {
  return addRunOptions(command, name)
    .option(
      '--reasoner <model>',
      'reads messages that were sent to the workflow; default: the model, if it can',
    )
    .option(
      '--wait',
      'stay while something is open: until it is answered from elsewhere, or its time is over',
    )
    .option('--no-reasoner', 'such messages are guidance for the next node, and nothing else');
}

/** Adds the flags of commands that converse. */
export function addRunOptions(command: Command, name: ReadingCommand): Command {
  add(command, [...settingOptions(name), ...trustOptions(), ...toolOptions(), ...approvalOptions()]);
  add(command, [
    new Option('-p, --print', 'one user turn, then end'),
    new Option('--message <text|->', 'the first user turn; - reads all of stdin'),
    new Option('--answer <interrupt=answer>', 'one answer; i1@3db9c6df=y is for what was shown').argParser(
      interruptAnswer,
    ),
    ...scriptOptions(),
    new Option('--no-save', 'keep nothing on disk'),
  ]);
  return addSessionOptions(command);
}

/** Adds the flags of commands that converse with a model, and not with a workflow. */
export function addReplyOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--attach <file>',
        'a text, an image or a PDF that goes with the first turn; repeatable',
      ).argParser(collected),
    )
    .option(
      '--json-schema <file|json>',
      'with --print: the reply is JSON that fits this schema, printed alone; status 10 where it does not fit',
    );
}

/** Adds the flags of `answer`: what a run afterwards is told stands below a heading of its own. */
export function addAnswerOptions(command: Command): Command {
  command.addOption(
    new Option('--answer <interrupt=answer>', 'one answer; i1@3db9c6df=y is for what was shown').argParser(
      interruptAnswer,
    ),
  );
  const afterwards = [
    ...settingOptions('answer'),
    ...trustOptions(),
    ...toolOptions(),
    ...approvalOptions(),
    ...scriptOptions(),
  ];
  add(
    command,
    afterwards.map((option) => option.helpGroup('With --run:')),
  );
  return addSessionOptions(command);
}

/** Adds the flags of commands that tell what a chat would offer. */
export function addOfferOptions(command: Command, name: ReadingCommand): Command {
  add(command, [...settingOptions(name), ...trustOptions(), ...toolOptions()]);
  return addSessionOptions(command);
}

/** Adds the flags that approve in advance. */
export function addApprovalOptions(command: Command): Command {
  return add(command, approvalOptions());
}

/** Adds the flags of commands that tell settings: those that a run would be given too. */
export function addSettingOptions(command: Command, name: ReadingCommand): Command {
  add(command, settingOptions(name));
  return addSessionOptions(addPreviewOptions(command));
}

/** Adds the flags of commands that tell what would count; by neither is anything trusted afterwards. */
export function addPreviewOptions(command: Command): Command {
  return command
    .option('--trust', 'as if the files of the project were trusted; nothing of it is remembered')
    .option('--no-trust', 'as if nothing of the project were trusted');
}

/** The flag of programs that stay: the form of their lines. */
export function logOption(): Option {
  return new Option(
    '--log <form>',
    'lines on stderr: text, or JSON with time, level and session (default: text)',
  ).choices(['text', 'json']);
}

function add(command: Command, options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}

/** The flags of the settings that a command reads, as the table has them. */
function settingOptions(name: ReadingCommand): readonly Option[] {
  return settingRows().flatMap(([key, row]) =>
    row.flag !== undefined && row.reads?.includes(name) === true ? [settingOption(key, row)] : [],
  );
}

/** A flag of the table. Its variable is read where it is put together with files, so that each is told as what it is. */
function settingOption(key: SettingKey, { flag = '', about, kind, variables = [] }: SettingRow): Option {
  const named = variables.length === 0 ? '' : ` (${variables.join(', ')})`;
  const option = new Option(flag, `${about}${named}`);
  switch (kind.type) {
    case 'choice':
      return option.choices(kind.of);
    case 'whole':
    case 'dollars':
    case 'duration':
      return option.argParser(valueOf(kind));
    case 'text':
      return key === 'sessions' ? option.argParser(folderName) : option;
    case 'texts':
      return flag.includes('...') ? option : option.argParser(collected);
    case 'url': // who makes the model says what is wrong with it
    case 'switch':
    case 'names':
    case 'rules':
    case 'objects':
    case 'profiles':
      return option;
    default:
      return assertNever(kind);
  }
}

function trustOptions(): readonly Option[] {
  return [
    new Option('--trust', 'trust the folder’s configuration and the session’s tool modules as they are now'),
    new Option('--no-trust', 'load nothing that is not trusted already'),
  ];
}

function toolOptions(): readonly Option[] {
  return [
    new Option('--no-builtin-tools', 'offer none of the built-in tools'),
    new Option('--allow-tool <name...>', 'offer only these tools'),
    new Option('--deny-tool <name...>', 'do not offer these tools'),
  ];
}

function approvalOptions(): readonly Option[] {
  return [
    new Option(
      '--allow <rule>',
      'allow what a rule says in this run, as `hitl rules add allow`; repeatable',
    ).argParser(collected),
    new Option('--yes <tool...>', 'the same for whole tools').argParser(collected),
    new Option('--dangerously-approve-all', 'approve every tool in this run; for sandboxes only'),
  ];
}

/** The flags by which a script speaks to a run, and by which it is told what became of it. */
function scriptOptions(): readonly Option[] {
  return [
    new Option('--answers <file>', 'scripted answers, JSON or JSON lines; - reads them from stdin'),
    new Option('--strict-answers', 'scripted answers that are left unused are an error'),
    new Option(
      '--record-answers <file>',
      'write what is answered at a terminal or on stdin as a file for --answers',
    ),
    new Option('--input-format <format>', 'how stdin is read without a terminal')
      .choices(['text', 'ndjson'])
      .default('text'),
    new Option('-o, --output-format <format>', 'what stdout carries').choices([
      'text',
      'json',
      'stream-json',
    ]),
  ];
}
