import { stat } from 'node:fs/promises';

import * as z from 'zod';

import type { ApprovalRequest, Tool } from '../../core/index.js';
import { HitlError, messageOf } from '../../core/index.js';
import type { Place } from '../../files/index.js';
import { placeOf } from '../../files/index.js';
import { defineTool } from '../define-tool.js';

import { confirmStill } from './agreement.js';
import { commandEnvironment } from './command-environment.js';
import { findProgram, findShell } from './find-program.js';
import type { BuiltinOptions } from './options.js';
import { BUILT_IN } from './origin.js';
import { OutputWindow } from './output-window.js';
import { runGroup } from './process-group.js';
import { progressLines } from './progress-lines.js';
import { placeWarnings } from './read-request.js';

/** Characters kept of the beginning of the output, and as many of its end. */
const KEPT_EACH = 16 * 1024;

const Shape = z.object({
  command: z.string().min(1).optional().describe('text for the shell; give either this or `argv`'),
  argv: z
    .array(z.string())
    .min(1)
    .optional()
    .describe('program and arguments, run without a shell; preferred'),
  cwd: z.string().min(1).default('.').describe('where it runs, relative to the working directory'),
  timeoutMs: z.int().min(1).max(600_000).default(120_000),
});
type Command = z.infer<typeof Shape>;

/** Runs a program or shell text; a person approves each time, and sees what really runs and where. */
export function runCommand(options: BuiltinOptions): Tool {
  const Input = Shape.superRefine(async (command, context) => {
    const problem = await problemOf(command, options);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
  return defineTool(
    {
      name: 'run_command',
      description:
        'Runs a command and returns what it printed and its exit code. The person approves each command. It gets no input, and few environment variables; a long output loses its middle.',
      input: Input,
      output: z.object({
        exitCode: z.number().nullable(),
        signal: z.string().nullable(),
        output: z.string(),
        omittedCharacters: z.number().optional(),
        notes: z.array(z.string()).optional(),
      }),
      effect: 'once',
      origin: BUILT_IN,
      approval: async (command) => requestOf(await plan(command, options), command, options),
    },
    async (command, context) => {
      const planned = await plan(command, options);
      confirmStill(context, requestOf(planned, command, options));
      const window = new OutputWindow(KEPT_EACH);
      const { clock } = options;
      const tell = progressLines(
        () => clock.now(),
        (line) => {
          context.progress(line);
        },
      );
      const end = await runGroup(
        {
          program: planned.program,
          args: planned.args,
          cwd: planned.place.path,
          env: commandEnvironment(options),
          timeoutMs: command.timeoutMs,
          clock,
          onText(text) {
            window.push(text);
            tell(text);
          },
        },
        context.signal,
      );
      const { text, omitted } = window.end();
      const notes = [
        ...(end.timedOut ? [`ended after its time limit of ${command.timeoutMs} ms`] : []),
        ...(end.leftOver ? ['processes that it left running were ended'] : []),
      ];
      return {
        exitCode: end.exitCode,
        signal: end.signal,
        output: text,
        ...(omitted > 0 && { omittedCharacters: omitted }),
        ...(notes.length > 0 && { notes }),
      };
    },
  );
}

/** A command with everything resolved: what is shown is what runs (T4). */
interface Plan {
  readonly place: Place;
  readonly program: string;
  readonly args: readonly string[];
  /** The file behind the program's links; absent for shell text. */
  readonly real?: string;
  /** The program is a file of the working directory. */
  readonly inProject: boolean;
}

async function plan({ command, argv, cwd }: Command, options: BuiltinOptions): Promise<Plan> {
  const place = await placeOf(cwd, options);
  if (command !== undefined)
    return { place, program: await findShell(), args: ['-c', command], inProject: false };
  const [name = '', ...args] = argv ?? [];
  const found = await findProgram(name, place.path, options.env['PATH'] ?? '');
  if (found === undefined) throw new HitlError('TOOL_FAILED', `there is no program \`${name}\``);
  const { inside, wide } = await placeOf(found.real, options);
  const inProject = inside || wide !== undefined;
  return { place, program: found.path, args, real: found.real, inProject };
}

function requestOf(
  { place, program, real, inProject }: Plan,
  { command, timeoutMs }: Command,
  options: BuiltinOptions,
): ApprovalRequest {
  const isShell = command !== undefined;
  const warnings = [
    ...(isShell ? ['shell text cannot be analysed: it may do anything that you may do'] : []),
    ...placeWarnings(place, 'it runs outside the working directory'),
    ...(inProject ? ['the program is a file of the working directory'] : []),
  ];
  return {
    facts: {
      'working directory': place.path,
      ...(isShell
        ? { shell: program }
        : { program: real === program ? program : `${program} → ${real ?? ''}` }),
      environment: Object.keys(commandEnvironment(options)).sort().join(' '),
      'time limit': `${timeoutMs / 1000} s`,
    },
    ...(warnings.length > 0 && { warnings }),
  };
}

/** A call that cannot work is refused to the model before a person is asked about it. */
async function problemOf(input: Command, options: BuiltinOptions): Promise<string | undefined> {
  const { command, argv } = input;
  if ((command === undefined) === (argv === undefined)) return 'give either `command` or `argv`';
  if ([command ?? '', ...(argv ?? [])].some((text) => text.includes('\0')))
    return 'a command must not hold a NUL character';
  try {
    const { place } = await plan(input, options);
    const folder = await stat(place.path).catch(() => undefined); // Not there, or not ours to enter.
    return folder?.isDirectory() === true ? undefined : `${place.label} is not a folder that it can run in`;
  } catch (error) {
    return messageOf(error);
  }
}
