import type { Command } from 'commander';
import { Option } from 'commander';
import type { ToolRule } from '../../src/core/index.js';
import { collected, dollars, duration, folderName, interruptAnswer, wholeNumber } from './flag-values.js';

export type OutputFormat = 'text' | 'json' | 'stream-json';

/** Flags that every command takes. */
export interface CommonFlags {
  readonly sessions?: string;
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

/** Flags shared by `chat` and `resume`, and by `answer` with `--run`. */
export interface RunFlags extends CommonFlags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly allowHttp?: boolean;
  readonly system?: string;
  readonly tools?: readonly string[];
  /** Undefined: a person is asked. False: what is not trusted is left out. */
  readonly trust?: boolean;
  readonly builtinTools: boolean;
  readonly allowTool?: readonly string[];
  readonly denyTool?: readonly string[];
  readonly sandbox?: 'auto' | 'off' | 'required';
  readonly answersFrom?: 'here' | 'anywhere';
  readonly maxTurns?: number;
  readonly maxCost?: number;
  readonly maxTime?: number;
  readonly print?: boolean;
  readonly message?: string;
  readonly answers?: string;
  readonly answer?: readonly (readonly [string, string])[];
  readonly strictAnswers?: boolean;
  readonly recordAnswers?: string;
  readonly inputFormat: 'text' | 'ndjson';
  readonly allow?: readonly string[];
  readonly yes?: readonly string[];
  readonly dangerouslyApproveAll?: boolean;
  readonly onInterrupt?: 'ask' | 'stop' | 'deny';
  /** Who reads messages for a workflow. Undefined: the run's model, where it is one that reads. False: nobody. */
  readonly reasoner?: string | boolean;
  readonly onToolError?: 'tell-model' | 'ask';
  readonly outputFormat?: OutputFormat;
  /** Of the configuration and of the flags; there is no flag for them. */
  readonly rules?: readonly ToolRule[];
  /** Of the configuration, too. Default true. */
  readonly statusLine?: boolean;
  /** commander sets it to false for `--no-save`. */
  readonly save: boolean;
}

/** Adds the flags that every command takes. */
export function addCommonOptions(command: Command): Command {
  return command
    .option('--sessions <dir>', 'where sessions are kept', folderName)
    .option('--json', 'write one JSON document to stdout')
    .option('-q, --quiet', 'say only what was asked for')
    .option('-v, --verbose', 'say more; show the stack of an error')
    .option('--no-color', 'no colours')
    .option('--no-input', 'never ask on the terminal')
    .option(
      '--accessible',
      'ask in plain lines, for screen readers and simple terminals (HITL_ACCESSIBLE=1)',
    );
}

/** Adds the flags of commands that run workflows. */
export function addFlowOptions(command: Command): Command {
  return addRunOptions(command)
    .option(
      '--reasoner <model>',
      'reads messages that were sent to the workflow; default: the model, if it can',
    )
    .option('--no-reasoner', 'such messages are guidance for the next node, and nothing else');
}

/** Adds the flags of commands that run a model. */
export function addRunOptions(command: Command): Command {
  addCommonOptions(command);
  for (const option of runOptions()) command.addOption(option);
  return command;
}

function runOptions(): readonly Option[] {
  return [
    new Option(
      '-m, --model <spec>',
      'anthropic:<model>, demo, script:<file>, replay:<file>, or a name of the configuration',
    ),
    new Option('--base-url <url>', 'another server that speaks the Anthropic Messages API'),
    new Option('--allow-http', 'talk to such a server on another machine without encryption'),
    new Option('-s, --system <text|@file>', 'system prompt').env('HITL_SYSTEM'),
    new Option('-t, --tools <module...>', 'modules (.ts, .js, .mjs) that export tools'),
    new Option('--trust', 'trust the folder’s configuration and the session’s tool modules as they are now'),
    new Option('--no-trust', 'load nothing that is not trusted already'),
    new Option('--no-builtin-tools', 'offer none of the built-in tools'),
    new Option('--allow-tool <name...>', 'offer only these tools'),
    new Option('--deny-tool <name...>', 'do not offer these tools'),
    new Option('--sandbox <mode>', 'whether commands run in a sandbox')
      .env('HITL_SANDBOX')
      .choices(['auto', 'off', 'required']),
    new Option(
      '--answers-from <where>',
      'whose answers count by themselves once a command ran without a sandbox; default: here, where you sit at the terminal',
    ).choices(['here', 'anywhere']),
    new Option('--max-turns <n>', 'rounds of tool calls for one message')
      .env('HITL_MAX_TURNS')
      .argParser(wholeNumber(1, 1_000)),
    new Option('--max-cost <usd>', 'what the session may cost').env('HITL_MAX_COST').argParser(dollars),
    new Option('--max-time <duration>', 'how long a run may take: 90s, 5m, 2h')
      .env('HITL_MAX_TIME')
      .argParser(duration),
    new Option('-p, --print', 'one user turn, then end'),
    new Option('--message <text|->', 'the first user turn; - reads all of stdin'),
    new Option('--answers <file>', 'scripted answers, JSON or JSON lines; - reads them from stdin'),
    new Option('--answer <interrupt=answer>', 'one answer').argParser(interruptAnswer),
    new Option('--strict-answers', 'scripted answers that are left unused are an error'),
    new Option(
      '--record-answers <file>',
      'write what is answered at a terminal or on stdin as a file for --answers',
    ),
    new Option('--input-format <format>', 'how stdin is read without a terminal')
      .choices(['text', 'ndjson'])
      .default('text'),
    new Option(
      '--allow <rule>',
      'allow what a rule says in this run, as `hitl rules add allow`; repeatable',
    ).argParser(collected),
    new Option('--yes <tool...>', 'the same for whole tools').argParser(collected),
    new Option('--dangerously-approve-all', 'approve every tool in this run; for sandboxes only'),
    new Option('--on-interrupt <what>', 'what happens to an interrupt that nothing answers').choices([
      'ask',
      'stop',
      'deny',
    ]),
    new Option('--on-tool-error <what>', 'who hears of a tool that failed').choices(['tell-model', 'ask']),
    new Option('-o, --output-format <format>', 'what stdout carries').choices([
      'text',
      'json',
      'stream-json',
    ]),
    new Option('--no-save', 'keep nothing on disk'),
  ];
}
