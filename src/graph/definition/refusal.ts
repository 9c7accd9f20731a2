import type { GraphFrame } from '../../core/index.js';
import { HitlError } from '../../core/index.js';
import type { Graph } from '../graph-definition.js';
import type { Acceptance } from './acceptance.js';
import { acceptance } from './acceptance.js';

/** The run of a graph, and the definition that it would go on with. */
interface Meeting {
  readonly frame: GraphFrame;
  readonly graph: Graph;
  readonly path: string;
  readonly run: { readonly runId: string; readonly sessionId?: string };
}

/** The error of a run that may not go on with a definition. */
export function refusal(
  { why, changes }: Acceptance & { readonly type: 'refused' },
  { frame, graph, path, run }: Meeting,
): HitlError {
  const session = run.sessionId ?? run.runId;
  return new HitlError('BAD_GRAPH', path === '' ? why : `${path}: ${why}`, {
    hint: `run it with the definition that it was started with; or look with \`hitl test-replay <flow> ${session}\`, and move it with \`hitl migrate ${session}\``,
    detail: { session: frame.hash, now: graph.hash, changes: changes.map((one) => ({ ...one })) },
  });
}

/** Says why a run may not go on with a definition; `undefined` where it may. */
export function definitionProblem(meeting: Meeting): HitlError | undefined {
  const accepted = acceptance(meeting.frame, meeting.graph);
  return accepted.type === 'refused' ? refusal(accepted, meeting) : undefined;
}
