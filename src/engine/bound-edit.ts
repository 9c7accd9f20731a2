import type { Answer, Interrupt, SecretVault, ToolSet } from '../core/index.js';
import { deepFreeze, editHolds, requestIn, requestJson } from '../core/index.js';
import type { RoundScene, SceneOptions } from './call-scene.js';
import { callScene } from './call-scene.js';
import { checked } from './checked.js';
import { approvalOf } from './prepare-call.js';
import { Stop } from './stop.js';

/** The things that an answer is looked at with before it is kept. */
export interface Sealing {
  readonly tools: ToolSet;
  readonly vault: SecretVault;
  /** The run that the answer is for: a gate that looks at an edit is told of it. */
  readonly run: SceneOptions;
}

/**
 * An answer that edits the input, with what the edited call would do now: it holds for that and for nothing else. One
 * whose plan has to be seen first stays as it is, and is asked about again before anything runs.
 */
export async function boundEdit(
  answer: Answer,
  interrupt: Interrupt | undefined,
  { tools, vault, scene }: Omit<Sealing, 'run'> & { readonly scene: RoundScene },
  signal: AbortSignal,
): Promise<Answer> {
  const { resolution, by } = answer;
  if (resolution.action !== 'restart' || resolution.input === undefined) return answer;
  if (interrupt?.source.type !== 'tool') return answer;
  const { shown: _claimed, input: typed, ...rest } = resolution;
  const tool = tools.get(interrupt.source.name);
  const parsed = tool === undefined ? undefined : await checked(() => tool.parseInput(typed));
  if (tool === undefined || parsed?.ok !== true) return answer;
  using stop = Stop.following(signal);
  const scened = callScene(interrupt.source.ref, scene);
  const wanted = vault.mask(await approvalOf(tool, deepFreeze(parsed.value), scened, stop));
  const request = wanted === undefined ? undefined : requestJson(wanted);
  const seen = interrupt.source.raisedBy === 'approval' ? requestIn(interrupt.payload) : {};
  if (request !== undefined && !editHolds(by, seen, request))
    return { ...answer, resolution: { ...rest, input: typed } };
  const shown = { input: parsed.value, ...(request !== undefined && { request }) };
  return { ...answer, resolution: { ...rest, input: typed, shown } };
}
