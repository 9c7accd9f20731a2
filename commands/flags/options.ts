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
  /** URL of a database, instead of a folder. */
  readonly store?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  /** commander sets it to false for `--no-color`. */
  readonly color: boolean;
  /** commander sets it to false for `--no-input`. */
  readonly input: boolean;
  /** Applied to the environment before a command starts. */
  readonly accessible?: boolean;
}

/** Flags of `chat`, `resume` and `answer --run`: settings and options of one run. */
export interface RunFlags extends CommonFlags, SettingFlags {
  /** Undefined: ask the user. False: leave out untrusted files. */
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
  /** Interpreter of messages for a workflow. Undefined: the run's model, if it can. False: none. */
  readonly reasoner?: string | boolean;
  /** Waits for remote answers and timers without a user present. */
  readonly wait?: boolean;
  readonly outputFormat?: OutputFormat;
  /** No user is present, and stdin has no answers. Set by `hitl tick`, not by a flag. */
  readonly isAlone?: boolean;
  /** Time after SIGTERM to finish a run, in milliseconds: `hitl worker --drain`. */
  readonly drainMs?: number;
  /** Source of `tools`, unless it is a flag. */
  readonly toolsFrom?: 'configuration';
  /** From the configuration and flags; not a flag itself. */
  readonly rules?: readonly ToolRule[];
  /** commander sets it to false for `--no-save`. */
  readonly save: boolean;
}

/** The heading of flags that mean the same everywhere. */
const EVERYWHERE = 'With every command:';

/** Adds the flags that every command takes. */
export function addCommonOptions(command: Command): Command {
  const common = [
    new Option('--json', 'print one JSON document'),
    new Option('-q, --quiet', 'print only the result'),
    new Option('-v, --verbose', 'print details and stack traces'),
    settingOption('color', SETTINGS.color),
    new Option('--no-input', 'never ask at the terminal'),
    settingOption('accessible', SETTINGS.accessible),
  ];
  for (const option of common) command.addOption(option.helpGroup(EVERYWHERE));
  return command;
}

/** Adds the flags of commands that inspect sessions. */
export function addSessionOptions(command: Command): Command {
  add(command, [settingOption('sessions', SETTINGS.sessions), settingOption('store', SETTINGS.store)]);
  return addCommonOptions(command);
}

/** Adds the flags of commands that run workflows. */
export function addFlowOptions(command: Command, name: ReadingCommand): Command {
  return addRunOptions(command, name)
    .option(
      '--reasoner <model>',
      'model that interprets messages sent to the workflow (default: its model, if it can)',
    )
    .option('--wait', 'wait for open questions to be answered elsewhere or to expire')
    .option('--no-reasoner', 'treat messages only as guidance for the next node');
}

/** Adds the flags of commands that converse. */
export function addRunOptions(command: Command, name: ReadingCommand): Command {
  add(command, [...settingOptions(name), ...trustOptions(), ...toolOptions(), ...approvalOptions()]);
  add(command, [
    new Option('-p, --print', 'run one turn, then exit'),
    new Option('--message <text|->', 'first message; - reads all of stdin'),
    new Option(
      '--answer <interrupt=answer>',
      'one answer; i1@3db9c6df=y names the digest that was shown',
    ).argParser(interruptAnswer),
    ...scriptOptions(),
    new Option('--no-save', 'do not save the session to disk'),
  ]);
  return addSessionOptions(command);
}

/** Adds the flags of commands that converse with a model, and not with a workflow. */
export function addReplyOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--attach <file>',
        'text file, image or PDF to send with the first message; repeatable',
      ).argParser(collected),
    )
    .option(
      '--json-schema <file|json>',
      'with --print: print only a JSON reply that matches this schema; exit status 10 if it does not match',
    );
}

/** Adds the flags of `answer`; those for a following run have their own heading. */
export function addAnswerOptions(command: Command): Command {
  command.addOption(
    new Option(
      '--answer <interrupt=answer>',
      'one answer; i1@3db9c6df=y names the digest that was shown',
    ).argParser(interruptAnswer),
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

/** Adds the flags of commands that show what a chat would offer. */
export function addOfferOptions(command: Command, name: ReadingCommand): Command {
  add(command, [...settingOptions(name), ...trustOptions(), ...toolOptions()]);
  return addSessionOptions(command);
}

/** Adds the flags that approve in advance. */
export function addApprovalOptions(command: Command): Command {
  return add(command, approvalOptions());
}

/** Adds the flags of commands that show settings: those of a run. */
export function addSettingOptions(command: Command, name: ReadingCommand): Command {
  add(command, settingOptions(name));
  return addSessionOptions(addPreviewOptions(command));
}

/** Adds the flags of commands that preview settings; neither saves trust. */
export function addPreviewOptions(command: Command): Command {
  return command
    .option('--trust', 'treat the project’s files as trusted, without remembering it')
    .option('--no-trust', 'treat everything in the project as untrusted');
}

/** The flag of programs that stay: the form of their lines. */
export function logOption(): Option {
  return new Option(
    '--log <form>',
    'format of stderr lines: text, or JSON with time, level and session (default: text)',
  ).choices(['text', 'json']);
}

function add(command: Command, options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}

/** Returns the flags of a command's settings, from the table. */
function settingOptions(name: ReadingCommand): readonly Option[] {
  return settingRows().flatMap(([key, row]) =>
    row.flag !== undefined && row.reads?.includes(name) === true ? [settingOption(key, row)] : [],
  );
}

/**
 * Creates a flag from the table. Its variable is read when merging with files, so that each source is
 * reported correctly.
 */
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
    new Option(
      '--trust',
      'trust the folder’s configuration and the session’s tool modules in their current state',
    ),
    new Option('--no-trust', 'load only what is already trusted'),
  ];
}

function toolOptions(): readonly Option[] {
  return [
    new Option('--no-builtin-tools', 'do not offer the built-in tools'),
    new Option('--allow-tool <name...>', 'offer only these tools'),
    new Option('--deny-tool <name...>', 'do not offer these tools'),
  ];
}

function approvalOptions(): readonly Option[] {
  return [
    new Option(
      '--allow <rule>',
      'allow what this rule matches in this run, as `hitl rules add allow`; repeatable',
    ).argParser(collected),
    new Option('--yes <tool...>', 'allow every call of these tools in this run').argParser(collected),
    new Option('--dangerously-approve-all', 'approve every call in this run; for sandboxes only'),
  ];
}

/** Returns the flags for scripted input and output. */
function scriptOptions(): readonly Option[] {
  return [
    new Option('--answers <file>', 'scripted answers, JSON or JSON lines; - reads stdin'),
    new Option('--strict-answers', 'fail if scripted answers are left unused'),
    new Option(
      '--record-answers <file>',
      'save answers given at the terminal or on stdin to a file for --answers',
    ),
    new Option('--input-format <format>', 'format of stdin without a terminal')
      .choices(['text', 'ndjson'])
      .default('text'),
    new Option('-o, --output-format <format>', 'format of stdout').choices(['text', 'json', 'stream-json']),
  ];
}
