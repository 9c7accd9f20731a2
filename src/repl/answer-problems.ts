import type {
  Answer,
  HitlError,
  InterruptId,
  NodePath,
  RunState,
  SecretVault,
  Session,
  ToolSet,
} from '../core/index.js';
import { openInterrupt } from '../core/index.js';
import type { RunOptions } from '../engine/index.js';
import { checkResume, lostSecret } from '../engine/index.js';

/** The session and tools that an answer applies to. */
interface AnswerPlace {
  readonly session: Pick<Session, 'state'>;
  readonly run: Pick<RunOptions, 'tools'>;
  readonly flow?: { toolsAt(path: NodePath, state: RunState): Promise<ToolSet> };
}

/**
 * Returns the problems with an answer.
 * @param lacking creates the error for a call whose tool is not available. Pass `inside` if the answer came
 * from one of this session's own channels.
 */
export async function problemsOf(
  answer: Answer,
  place: AnswerPlace & { readonly vault: SecretVault },
  lacking: ((names: readonly string[]) => HitlError) | 'inside',
): Promise<string | undefined> {
  const { state } = place.session;
  const lost = lostSecret(answer, state, place.vault);
  if (lost !== undefined) return lost;
  const tools = await toolsFor(answer.id, place);
  const problems = await checkResume(state, [answer], tools, {
    complete: false,
    isInside: lacking === 'inside',
  });
  const source = openInterrupt(state, answer.id)?.source;
  if (source?.type === 'tool' && lacking !== 'inside' && problems.some(({ kind }) => kind === 'tool-missing'))
    throw lacking([source.name]);
  return problems.length === 0 ? undefined : problems.map(({ message }) => message).join('; ');
}

/** Returns the tools available at the path of a question. */
export async function toolsFor(id: InterruptId, place: AnswerPlace): Promise<ToolSet> {
  const path = place.flow && openInterrupt(place.session.state, id)?.path;
  return path === undefined ? place.run.tools : toolsOf(path, place);
}

/** Returns the tools available at a path. */
export async function toolsOf(
  path: NodePath,
  { session: { state }, run: { tools }, flow }: AnswerPlace,
): Promise<ToolSet> {
  return flow === undefined ? tools : flow.toolsAt(path, state);
}
