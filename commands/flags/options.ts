import type { Command, CommandUnknownOpts, InferOptions, OptionValues } from '@commander-js/extra-typings';
import { Option } from '@commander-js/extra-typings';
import type { ToolRule } from '../../src/core/index.js';
import { assertNever } from '../../src/core/index.js';
import type { ValueOf } from '../settings/kind.js';
import type { ReadingCommand, SettingRow } from '../settings/row.js';
import type { Config, OwnReviewer, ReadFlags, SettingKey } from '../settings/settings.js';
import { settingRows } from '../settings/settings.js';
import { SETTINGS } from '../settings/table.js';
import { collected, folderName, interruptAnswer, valueOf } from './flag-values.js';

export type OutputFormat = 'text' | 'json' | 'stream-json';

/** Flags that every command accepts. */
export type CommonFlags = FlagsIn<ReturnType<typeof commonOptions>>;
/** The common flags, and those that the function `Add` adds to a command. */
type With<Add extends (...given: never[]) => CommandUnknownOpts> = ReturnType<ReturnType<Add>['opts']>;
/** Flags of commands that inspect sessions. */
export type SessionFlags = With<typeof addSessionOptions<[], CommonFlags>>;
/** Flags of commands that preview the settings in effect. */
export type PreviewFlags = With<typeof addPreviewOptions<[], CommonFlags>>;
/** Flags of commands that show settings. */
export type SettingsFlags<Name extends ReadingCommand> = With<
  typeof addSettingOptions<[], CommonFlags, Name>
>;
/** Flags of commands that show what a chat would offer to the model. */
export type OfferFlags = With<typeof addOfferOptions<[], CommonFlags, 'tools'>>;
/** Flags that approve calls in advance. */
export type ApprovalFlags = With<typeof addApprovalOptions<[], CommonFlags>>;
/** Flags of commands that hold a conversation. */
export type TalkFlags = With<typeof addRunOptions<[], CommonFlags, 'chat'>>;
/** Flags of commands that talk to a model. */
export type ReplyFlags = With<typeof addReplyOptions<[], CommonFlags>>;
/** The flag of commands that talk to an agent. */
export type AgentFlags = With<typeof addAgentOption<[], CommonFlags>>;
/** Flags of commands that run workflows. */
export type FlowFlags = With<typeof addFlowOptions<[], CommonFlags, 'run'>>;
/** Flags of `answer`, including those for the run that `--run` starts. */
export type AnswerRunFlags = With<typeof addAnswerOptions<[], CommonFlags>>;

/**
 * Options of a run: flags (a command may support only some of them), configuration settings, and values added
 * by the caller.
 */
export interface RunFlags
  extends
    ReplyFlags,
    Partial<Omit<FlowFlags, keyof CommonFlags>>,
    Pick<Config, 'notify' | 'sandboxReads' | 'statusLine'> {
  /** Whether no user is present and stdin has no answers. Set by `hitl tick`, not by a flag. */
  readonly isAlone?: boolean;
  /** How long a run may take to finish after SIGTERM, in milliseconds: `hitl worker --drain`. */
  readonly drainMs?: number;
  /** Source of `tools`, if they do not come from a flag. */
  readonly toolsFrom?: 'configuration';
  /** Taken from the user's own configuration; not a flag. */
  readonly reviewer?: OwnReviewer;
  /** Combined from the configuration and flags; not a flag. */
  readonly rules?: readonly ToolRule[];
}

/** Help heading for flags that have the same meaning in every command. */
const EVERYWHERE = 'With every command:';

/** Adds the flags that every command accepts. */
export function addCommonOptions<Args extends unknown[], Own extends OptionValues>(row: Command<Args, Own>) {
  return add(row, commonOptions(), EVERYWHERE);
}

/** Adds the flags of commands that inspect sessions. */
export function addSessionOptions<Args extends unknown[], Own extends OptionValues>(row: Command<Args, Own>) {
  return addCommonOptions(add(row, [settingOption('sessions'), settingOption('store')]));
}

/** Adds the flags of commands that run workflows. */
export function addFlowOptions<Args extends unknown[], Own extends OptionValues, Name extends ReadingCommand>(
  row: Command<Args, Own>,
  name: Name,
) {
  return add(addRunOptions(row, name), [
    new Option(
      '--reasoner <model>',
      'model that interprets messages sent to the workflow (default: the workflow’s model, if capable)',
    ),
    new Option('--wait', 'wait for open questions to be answered elsewhere or to expire'),
    new Option('--no-reasoner', 'treat messages only as guidance for the next node'),
  ]);
}

/** Adds the flags of commands that hold a conversation. */
export function addRunOptions<Args extends unknown[], Own extends OptionValues, Name extends ReadingCommand>(
  row: Command<Args, Own>,
  name: Name,
) {
  const options = [
    ...trustOptions(),
    ...toolOptions(),
    ...approvalOptions(),
    new Option('-p, --print', 'run one turn, then exit'),
    new Option('--message <text|->', 'first message; - reads all of stdin'),
    answerOption(),
    ...scriptOptions(),
    new Option('--no-save', 'do not save the session to disk'),
  ] as const;
  return addSessionOptions(add(addSettings(row, name), options));
}

/** Adds the flags of commands that talk to a model rather than run a workflow. */
export function addReplyOptions<Args extends unknown[], Own extends OptionValues>(row: Command<Args, Own>) {
  return add(row, [
    new Option(
      '--attach <file>',
      'text file, image or PDF to send with the first message; repeatable',
    ).argParser(collected),
    new Option(
      '--json-schema <file|json>',
      'with --print: print only a JSON reply that matches this schema; exit status 10 if it does not match',
    ),
  ]);
}

/** Adds the flag that selects an agent instead of a model. */
export function addAgentOption<Args extends unknown[], Own extends OptionValues>(row: Command<Args, Own>) {
  return add(row, [
    new Option(
      '--agent <agent>',
      'agent to use instead of a model: claude-code, codex, gemini, opencode, or a command that speaks the Agent Client Protocol',
    ).conflicts('model'),
  ]);
}

/** Returns the flags with `agent` used as the model. */
export function withAgent<Flags extends { readonly agent?: string; readonly model?: string }>({
  agent,
  ...flags
}: Flags): Omit<Flags, 'agent'> & { readonly model?: string } {
  return { ...flags, ...(agent !== undefined && { model: `acp:${agent}` }) };
}

/** Adds the flags of `answer`. Those for the run that `--run` starts have their own heading. */
export function addAnswerOptions<Args extends unknown[], Own extends OptionValues>(row: Command<Args, Own>) {
  const heading = 'With --run:';
  const afterwards = [...trustOptions(), ...toolOptions(), ...approvalOptions(), ...scriptOptions()] as const;
  const answering = add(row, [answerOption()]);
  return addSessionOptions(add(addSettings(answering, 'answer', heading), afterwards, heading));
}

/** Adds the flags of commands that show what a chat would offer to the model. */
export function addOfferOptions<
  Args extends unknown[],
  Own extends OptionValues,
  Name extends ReadingCommand,
>(row: Command<Args, Own>, name: Name) {
  return addSessionOptions(add(addSettings(row, name), [...trustOptions(), ...toolOptions()]));
}

/** Adds the flags that approve calls in advance. */
export function addApprovalOptions<Args extends unknown[], Own extends OptionValues>(
  row: Command<Args, Own>,
) {
  return add(row, approvalOptions());
}

/** Adds the flags of commands that show settings. They are the same as the flags of a run. */
export function addSettingOptions<
  Args extends unknown[],
  Own extends OptionValues,
  Name extends ReadingCommand,
>(row: Command<Args, Own>, name: Name) {
  return addSessionOptions(addPreviewOptions(addSettings(row, name)));
}

/** Adds the flags of commands that preview settings. With these commands, `--trust` is not saved. */
export function addPreviewOptions<Args extends unknown[], Own extends OptionValues>(row: Command<Args, Own>) {
  return add(row, [
    new Option('--trust', 'trust the project’s files for this command only'),
    new Option('--no-trust', 'treat everything in the project as untrusted'),
  ]);
}

/** Returns the flag that sets the log format of a long-running program. */
export function logOption() {
  return new Option(
    '--log <form>',
    'format of stderr lines: text, or JSON with time, level and session (default: text)',
  ).choices(['text', 'json']);
}

/** Any option. */
type AnyOption = Option<string, unknown, unknown, unknown, boolean, unknown>;

/** Constraint for a list of options. `AnyOption` would replace the options' inferred types with `unknown`. */
type Listed = Pick<Option, 'flags'>;

/** The flags defined by a list of options. */
type FlagsIn<List extends readonly unknown[], Flags = unknown> = List extends readonly [
  Option<infer Usage, infer Preset, infer Default, infer Read, infer Mandatory, infer Choices>,
  ...infer Rest,
]
  ? FlagsIn<Rest, InferOptions<Flags, Usage, Default, Read, Mandatory, Preset, Choices>>
  : Flags;

/**
 * Adds options to a command. Commander modifies the command itself, so the returned type includes their
 * flags.
 */
function add<Args extends unknown[], Own extends OptionValues, const List extends readonly Listed[]>(
  row: Command<Args, Own>,
  options: List,
  heading?: string,
): Command<Args, Own & FlagsIn<List>>;
function add(row: CommandUnknownOpts, options: readonly AnyOption[], heading = ''): CommandUnknownOpts {
  for (const option of options) row.addOption(heading === '' ? option : option.helpGroup(heading));
  return row;
}

/** Adds a flag for each setting that a command reads, from the settings table. */
function addSettings<Args extends unknown[], Own extends OptionValues, Name extends ReadingCommand>(
  row: Command<Args, Own>,
  name: Name,
  heading?: string,
): Command<Args, Own & ReadFlags<Name>>;
function addSettings(row: CommandUnknownOpts, name: ReadingCommand, heading?: string): CommandUnknownOpts {
  const read = settingRows().filter(([, { flag, reads }]) => flag !== undefined && reads?.includes(name));
  return add(
    row,
    read.map(([key]) => settingOption(key)),
    heading,
  );
}

/**
 * Creates a flag from the settings table. Its environment variable is read later, when settings are merged
 * with files, so that the source of each value is reported correctly.
 */
function settingOption<Key extends SettingKey>(
  key: Key,
): Option<FlagText<Key>, undefined, undefined, ValueOf<(typeof SETTINGS)[Key]['kind']>>;
function settingOption(key: SettingKey): AnyOption {
  const { flag = '', about, kind, variables = [] }: SettingRow = SETTINGS[key];
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
    case 'reviewer':
    case 'hooks':
    case 'profiles':
      return option;
    default:
      return assertNever(kind);
  }
}

/** A flag from the settings table, in commander's syntax. */
type FlagText<Key extends SettingKey> = (typeof SETTINGS)[Key] extends {
  readonly flag: infer Flag extends string;
}
  ? Flag
  : '';

function commonOptions() {
  return [
    new Option('--json', 'print one JSON document'),
    new Option('-q, --quiet', 'print only the result'),
    new Option('-v, --verbose', 'print details and stack traces'),
    settingOption('color'),
    new Option('--no-input', 'never ask at the terminal'),
    settingOption('accessible'), // has done its work when a command begins: the environment says it then
  ] as const;
}

function answerOption() {
  return new Option(
    '--answer <interrupt=answer>',
    'one answer; i1@3db9c6df=y includes the digest shown with the question',
  ).argParser(interruptAnswer);
}

/** Returns the trust options. If neither is set, the user is asked. */
function trustOptions() {
  return [
    new Option(
      '--trust',
      'trust the folder’s configuration and the session’s tool modules in their current state',
    ),
    new Option('--no-trust', 'load only files that are already trusted'),
  ] as const;
}

function toolOptions() {
  return [
    new Option('--no-builtin-tools', 'do not offer the built-in tools'),
    new Option('--allow-tool <name...>', 'offer only these tools'),
    new Option('--deny-tool <name...>', 'do not offer these tools'),
  ] as const;
}

function approvalOptions() {
  return [
    new Option(
      '--allow <rule>',
      'in this run, allow calls that match this rule (see `hitl rules add allow`); repeatable',
    ).argParser(collected),
    new Option('--yes <tool...>', 'allow all calls to these tools in this run').argParser(collected),
    new Option('--dangerously-approve-all', 'approve all calls in this run; for sandboxes only'),
  ] as const;
}

/** Returns the flags for scripted input and output. */
function scriptOptions() {
  return [
    new Option('--answers <file>', 'scripted answers, JSON or JSON lines; - reads stdin'),
    new Option('--strict-answers', 'fail if any scripted answers are left unused'),
    new Option(
      '--record-answers <file>',
      'save answers given at the terminal or on stdin to a file for --answers',
    ),
    new Option('--input-format <format>', 'format of stdin if it is not a terminal')
      .choices(['text', 'ndjson'])
      .default('text'),
    new Option('-o, --output-format <format>', 'format of stdout').choices(['text', 'json', 'stream-json']),
  ] as const;
}
