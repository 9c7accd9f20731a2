import type { CallScene, Message, Sequence, ToolRef, ToolSet } from '../core/index.js';
import { HitlError } from '../core/index.js';
import type { RunOptions } from './run-options.js';

/** The part of a run that its calls are told of. */
export type SceneOptions = Pick<RunOptions, 'runId' | 'sessionId' | 'context'>;

/** The surroundings of the calls of one reply. */
export type RoundScene = Omit<CallScene, 'ref'>;

/** Gives the surroundings of the calls that were asked for behind these messages. */
export function roundScene(
  messages: Sequence<Message>,
  { runId, sessionId = runId, context }: SceneOptions,
): RoundScene {
  return { sessionId, messages, context };
}

/** Gives the surroundings of one call. */
export function callScene(ref: ToolRef, scene: RoundScene): CallScene {
  return { ...scene, ref };
}

/**
 * Looks at the context before anything runs: whoever gave it is told, and not the model.
 * @throws HitlError BAD_INPUT
 */
export function checkContext(tools: ToolSet, context: unknown): void {
  for (const tool of tools) {
    const parsed = tool.parseContext?.(context);
    if (parsed === undefined || parsed.ok) continue;
    const issues = parsed.issues.join('; ');
    throw new HitlError('BAD_INPUT', `the \`context\` does not fit tool \`${tool.name}\`: ${issues}`, {
      hint: 'give `context` with the request; the tool says what must be in it',
      detail: { issues: parsed.issues },
    });
  }
}
