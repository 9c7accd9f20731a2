import type { AgentFingerprint, Call, NodePath, RunState, ToolSet } from '../core/index.js';
import { activationId, HitlError, nodePath, ROOT_PATH } from '../core/index.js';
import { nextStep } from './next-step.js';

// Invariants:
// N1 A call that a person answered for is never told to its model as unknown: a run without its tool starts nothing,
//    and what was agreed to waits for a run that has it.

/** Returns the tools for the run at a path. */
export type ToolsAt = (path: NodePath, state: RunState) => ToolSet | Promise<ToolSet>;

/**
 * Checks that the tools of answered calls are available.
 * @throws HitlError TOOL_NOT_FOUND if a tool is missing (N1); none of the calls has started.
 */
export function checkAgreed(calls: readonly Call[], tools: ToolSet): void {
  refuse(calls.filter((call) => call.resolved !== undefined && isLacking(call, tools)));
}

/**
 * Before the session changes, checks that every tool that the run would call is available.
 * @throws HitlError TOOL_NOT_FOUND if a missing tool is needed for an answered call or is known to the
 * session
 */
export async function checkToolsHere(state: RunState, toolsAt: ToolsAt): Promise<void> {
  const { agent } = state;
  const lacking: Call[] = [];
  for (const [path, at] of openTurns(state, ROOT_PATH)) {
    const tools = await toolsAt(path, state);
    const step = nextStep(at, { tools, limits: {}, elapsedMs: 0 });
    if (step.type !== 'run-tools') continue;
    lacking.push(
      ...step.calls.filter(
        (call) => isLacking(call, tools) && (call.resolved !== undefined || isKnown(call, agent)),
      ),
    );
  }
  refuse(lacking);
}

/** Yields the states with open calls, each with its path. */
function* openTurns(state: RunState, path: NodePath): Generator<readonly [NodePath, RunState]> {
  if (state.open !== undefined) yield [path, state];
  const current = state.graph?.current;
  if (current?.phase !== 'run') return;
  for (const [branch, inner] of current.frames.entries()) {
    const steps = [path, activationId(current), branch].filter((step) => step !== '');
    yield* openTurns(inner, nodePath(steps.join('/')));
  }
}

/** Whether the tool of a call is missing. False for an unreadable request, which is reported separately. */
function isLacking({ request: { name, problem } }: Call, tools: ToolSet): boolean {
  return problem === undefined && tools.get(name) === undefined;
}

/** Whether the session had the tool in its last run. If so, the model did not make up the name. */
function isKnown({ request }: Call, agent: AgentFingerprint | undefined): boolean {
  return agent?.tools.some(({ name }) => name === request.name) === true;
}

function refuse(calls: readonly Call[]): void {
  if (calls.length === 0) return;
  throw toolNotHere(calls.map(({ request }) => request.name));
}

/** Creates the error for a run that does not have the tools it needs. */
export function toolNotHere(names: readonly string[]): HitlError {
  const tools = [...new Set(names)].map((name) => `\`${name}\``);
  const what = tools.length === 1 ? `missing tool: ${tools.join('')}` : `missing tools: ${tools.join(', ')}`;
  return new HitlError('TOOL_NOT_FOUND', `${what}; nothing ran, and approvals still stand`, {
    hint: 'load them with --tools or --mcp, or resume in the program that has them',
  });
}

/**
 * Validates the context before anything runs, so that the caller receives the error instead of the model.
 * @throws HitlError BAD_INPUT if the context does not match a tool's schema
 */
export function checkContext(tools: ToolSet, context: unknown): void {
  for (const tool of tools) {
    const parsed = tool.parseContext?.(context);
    if (parsed === undefined || parsed.ok) continue;
    const issues = parsed.issues.join('; ');
    throw new HitlError('BAD_INPUT', `the \`context\` does not match tool \`${tool.name}\`: ${issues}`, {
      hint: "pass a `context` that matches the tool's schema",
      detail: { issues: parsed.issues },
    });
  }
}
