import type { Answer, RunState, SessionEvent, SessionSize, ToolSet } from '../core/index.js';
import {
  HitlError,
  openInterrupt,
  present,
  schemaDigest,
  servedTool,
  SESSION_SIZES,
  sessionScope,
  toolDigest,
  validUntil,
} from '../core/index.js';

/**
 * The rule of the session that an answer adds: later calls like the one that it is about need no question. None where
 * the tool is not any more as the question showed it. It lasts no longer than the approval does.
 * @throws HitlError BAD_ANSWER for a size that there is not: a channel of somebody else says anything
 */
export function addedRule(
  { id, by }: Answer,
  always: true | SessionSize,
  { state, tools, at }: { readonly state: RunState; readonly tools: ToolSet; readonly at: string },
): readonly SessionEvent[] {
  const interrupt = openInterrupt(state, id);
  const { source, payload = null, bound } = interrupt ?? {};
  const tool = source?.type === 'tool' ? tools.get(source.name) : undefined;
  if (interrupt === undefined || tool === undefined || source?.type !== 'tool') return [];
  if (bound !== undefined && (bound.tool !== schemaDigest(tool) || bound.code !== tool.code)) return [];
  const size = always === true ? 'call' : always;
  if (!SESSION_SIZES.includes(size))
    throw new HitlError('BAD_ANSWER', `\`always\` must be true or one of ${SESSION_SIZES.join(', ')}`);
  const scope =
    size === 'tool' ? undefined : sessionScope(size, { name: tool.name, input: source.input, payload });
  if (size !== 'tool' && scope === undefined) return [];
  const until = validUntil(interrupt, { action: 'restart', by, at });
  const known = present({ served: servedTool(tool), until });
  const allowed = { effect: 'allow', tool: tool.name, toolDigest: toolDigest(tool), ...known } as const;
  return [{ type: 'rule-added', rule: { ...allowed, ...(scope && { scope }) }, by }];
}
