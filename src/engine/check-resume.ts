import type { Answer, Interrupt, JsonValue, RunState, ToolSet } from '../core/index.js';
import { openInterrupts } from '../core/index.js';

export type ResumeProblemKind =
  | 'unknown'
  | 'stale'
  | 'duplicate'
  | 'changed'
  | 'not-allowed'
  | 'tool-missing'
  | 'bad-input'
  | 'bad-output'
  | 'missing';

/** One thing that is wrong with a set of answers. */
export interface ResumeProblem {
  readonly kind: ResumeProblemKind;
  /** Id of the interrupt it is about. */
  readonly interrupt: string;
  readonly message: string;
}

export interface CheckResumeOptions {
  /** Every open interrupt must be answered. Default true; a session takes answers one at a time. */
  readonly complete?: boolean;
}

/**
 * Every problem of a set of answers, together, before anything runs: unknown, stale, duplicate and missing answers,
 * an input that is not the one that was shown, actions that do not fit, tools that are gone, values that break
 * their schemas. Empty where the answers fit.
 */
export async function checkResume(
  state: RunState,
  answers: readonly Answer[],
  tools: ToolSet,
  options: CheckResumeOptions = {},
): Promise<readonly ResumeProblem[]> {
  const open = new Map(openInterrupts(state).map((interrupt) => [interrupt.id, interrupt]));
  const seen = new Set<string>();
  const problems: ResumeProblem[] = [];
  for (const answer of answers) {
    const interrupt = open.get(answer.id);
    if (interrupt === undefined) problems.push(notOpen(state, answer, [...open.values()]));
    else if (seen.has(answer.id)) {
      problems.push(
        problem('duplicate', answer.id, `${describeInterrupt(interrupt)} has two answers; give one`),
      );
    } else problems.push(...(await misfits(interrupt, answer, tools)));
    seen.add(answer.id);
  }
  if (options.complete === false) return problems;
  for (const interrupt of open.values()) {
    if (!seen.has(interrupt.id))
      problems.push(problem('missing', interrupt.id, `${describeInterrupt(interrupt)} is not answered`));
  }
  return problems;
}

function problem(kind: ResumeProblemKind, interrupt: string, message: string): ResumeProblem {
  return { kind, interrupt, message };
}

/** An interrupt in an error message: `transfer_money#toolu_1 (i2)`. */
export function describeInterrupt(interrupt: Interrupt): string {
  const { source, id } = interrupt;
  return source.type === 'tool' ? `\`${source.name}#${source.ref}\` (${id})` : `${interrupt.kind} \`${id}\``;
}

function notOpen(state: RunState, { id }: Answer, open: readonly Interrupt[]): ResumeProblem {
  for (const { interrupt, resolution, by } of state.resolved) {
    if (interrupt.id !== id) continue;
    const who = by.type === 'rule' ? `rule \`${by.rule}\`` : by.name;
    return problem(
      'stale',
      id,
      `${describeInterrupt(interrupt)} was answered already: ${resolution.action}, by ${who}`,
    );
  }
  const ids = open.length === 0 ? 'nothing is open' : `open: ${open.map(describeInterrupt).join(', ')}`;
  return problem('unknown', id, `no interrupt \`${id}\`; ${ids}`);
}

async function misfits(
  interrupt: Interrupt,
  answer: Answer,
  tools: ToolSet,
): Promise<readonly ResumeProblem[]> {
  const { id } = interrupt;
  const { resolution } = answer;
  if (answer.digest !== interrupt.digest) {
    return [
      problem('changed', id, `${describeInterrupt(interrupt)} was shown with another input than it has now`),
    ];
  }
  if (!interrupt.allowed.includes(resolution.action)) {
    const fits = interrupt.allowed.join(', ');
    return [
      problem(
        'not-allowed',
        id,
        `\`${resolution.action}\` does not answer ${describeInterrupt(interrupt)}; it takes: ${fits}`,
      ),
    ];
  }
  if (interrupt.source.type !== 'tool') return [];
  const { name } = interrupt.source;
  const { action } = resolution;
  if (action === 'respond') return checkOutput(interrupt, name, resolution.output, tools);
  if (action === 'restart') return checkRestart(interrupt, name, resolution.input, tools);
  return action === 'retry' ? checkRestart(interrupt, name, undefined, tools) : [];
}

async function checkRestart(
  interrupt: Interrupt,
  name: string,
  input: JsonValue | undefined,
  tools: ToolSet,
): Promise<readonly ResumeProblem[]> {
  const tool = tools.get(name);
  if (tool === undefined) {
    return [
      problem(
        'tool-missing',
        interrupt.id,
        `${describeInterrupt(interrupt)} cannot run: there is no tool \`${name}\``,
      ),
    ];
  }
  if (!tool.restartable) {
    return [
      problem(
        'not-allowed',
        interrupt.id,
        `${describeInterrupt(interrupt)} only asks and cannot be restarted; respond to it`,
      ),
    ];
  }
  if (input === undefined) return [];
  const parsed = await tool.parseInput(input);
  if (parsed.ok) return [];
  const issues = parsed.issues.join('; ');
  return [
    problem(
      'bad-input',
      interrupt.id,
      `the new input of ${describeInterrupt(interrupt)} does not fit: ${issues}`,
    ),
  ];
}

/** The tool need not be there to be answered for; where it is, its output schema holds. */
async function checkOutput(
  interrupt: Interrupt,
  name: string,
  output: JsonValue,
  tools: ToolSet,
): Promise<readonly ResumeProblem[]> {
  const parsed = await tools.get(name)?.parseOutput(output);
  if (parsed?.ok !== false) return [];
  const issues = parsed.issues.join('; ');
  return [
    problem(
      'bad-output',
      interrupt.id,
      `the answer to ${describeInterrupt(interrupt)} does not fit: ${issues}`,
    ),
  ];
}
