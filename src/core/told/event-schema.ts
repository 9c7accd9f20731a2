import * as z from 'zod';

import type { AgentFingerprint, ToolDescriptor } from '../question/agent.js';
import type { FileBefore, SessionEvent, StoredEvent } from '../state/event.js';
import type { TransientEvent } from '../ports/renderer.js';
import type { ServedTool } from '../question/served-tool.js';
import {
  errorSchema,
  interruptIdSchema,
  nodePathSchema,
  sessionIdSchema,
  toolRefSchema,
  jsonObjectSchema,
  jsonValueSchema,
  timeSchema,
} from './json-schema.js';
import { event, graphEventSchemas } from './graph-event-schema.js';
import { inboxEventSchemas } from './inbox-schema.js';
import { interruptSchema } from './interrupt-schema.js';
import {
  messageSchema,
  toolOutcomeSchema,
  refusalSchema,
  replyEndSchema,
  usageSchema,
} from './message-schema.js';
import { AUTHORIZATIONS, MAY_ALLOW, REVIEW_FAILURES, RISKS } from '../data/review.js';
import { actorSchema, resolutionSchema, reviewerSchema } from './resolution-schema.js';

const shown = z.string();
const sessionScopeSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('call'), shown, input: jsonValueSchema }),
  z.object({
    ...{ type: z.literal('words'), shown },
    words: z.array(z.string()),
    folder: z.string().exactOptional(),
  }),
  z.object({ type: z.literal('folder'), shown, folder: z.string() }),
  z.object({ type: z.literal('host'), shown, host: z.string() }),
]);

const effectSchema = z.enum(['none', 'idempotent', 'once']);
const count = z.int().min(1);

export const servedToolSchema = z.object({
  name: z.string(),
  reached: z.string(),
  title: z.string().exactOptional(),
  description: z.string(),
  claims: z.string(),
  input: z.string(),
  digest: z.string(),
}) satisfies z.ZodType<ServedTool>;

const toolDescriptorSchema = z
  .object({
    name: z.string(),
    description: z.string(),
    inputSchema: jsonObjectSchema,
    outputSchema: jsonObjectSchema.exactOptional(),
    effect: effectSchema,
    origin: z.string(),
    restartable: z.boolean(),
    code: z.string().exactOptional(),
    mcp: z
      .object({
        server: z.string(),
        tool: z.string(),
        reached: z.string(),
        title: z.string().exactOptional(),
        readOnly: z.boolean().exactOptional(),
        destructive: z.boolean().exactOptional(),
        idempotent: z.boolean().exactOptional(),
        openWorld: z.boolean().exactOptional(),
      })
      .exactOptional(),
    reviewable: z.literal(true).exactOptional(),
    editing: z
      .object({
        field: z.string(),
        as: z.enum(['line', 'text']).exactOptional(),
        words: z.string().exactOptional(),
        file: z.string().exactOptional(),
        labels: z.record(z.string(), z.string()).exactOptional(),
      })
      .exactOptional(),
  })
  .meta({ id: 'ToolDescriptor' }) satisfies z.ZodType<ToolDescriptor>;

/** Schema of a session's agent. */
export const agentSchema = z
  .object({
    model: z.string(),
    server: z.string().exactOptional(),
    system: z.string().exactOptional(),
    tools: z.array(toolDescriptorSchema),
    modules: z.array(z.string()).exactOptional(),
    mcp: z.array(z.string()).exactOptional(),
    flow: z.string().exactOptional(),
    mode: z.enum(['read-only', 'accept-edits', 'auto']).exactOptional(),
    reviewer: z.string().exactOptional(),
    memory: z.object({ file: z.string(), sha256: z.string() }).exactOptional(),
    effort: z.enum(['low', 'medium', 'high', 'max']).exactOptional(),
    thinking: z.enum(['on', 'off']).exactOptional(),
    providerTools: z
      .array(
        z.object({
          name: z.enum(['web_search', 'web_fetch', 'code_execution']),
          maxUses: z.int().min(1).exactOptional(),
          domains: z.array(z.string()).exactOptional(),
        }),
      )
      .exactOptional(),
  })
  .meta({ id: 'Agent', description: "A session's agent" }) satisfies z.ZodType<AgentFingerprint>;

/** Schema of a session's origin. */
export const parentSchema = z.object({
  session: sessionIdSchema.exactOptional(),
  seq: z.int().min(0).exactOptional(),
  kind: z.enum(['fork', 'import']),
  foreign: z.literal(true).exactOptional(),
});

const partial = { partial: z.string().exactOptional() };

const runEndSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('done') }),
  z.object({ type: z.literal('finished'), output: jsonValueSchema.exactOptional(), by: z.string() }),
  z.object({ type: z.literal('aborted'), ...partial }),
  z.object({ type: z.literal('failed'), error: errorSchema, ...partial }),
  z.object({ type: z.literal('limit'), limit: z.string() }),
]);

const fileBeforeSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('copied'),
    sha256: z.string(),
    bytes: z.int().min(0),
    mode: z.int().min(0),
    folders: z.array(z.int().min(0)).exactOptional().meta({
      description: 'Permissions of the parent folders that may be removed with it, nearest first',
    }),
  }),
  z.object({ type: z.literal('absent') }),
  z.object({ type: z.literal('unkept'), why: z.enum(['secret', 'large', 'full', 'failed']) }),
]) satisfies z.ZodType<FileBefore>;

const vote = {
  by: actorSchema,
  resolution: resolutionSchema,
  castAt: timeSchema,
  receipt: z.string().exactOptional(),
};

/** Schema of the votes that decided a question. */
export const votesSchema = z.array(z.object(vote)).meta({
  description: 'The deciding votes, if several were needed',
});

/** A person's vote. */
const voteCastSchema = z.object({
  type: z.literal('vote-cast'),
  id: interruptIdSchema,
  digest: z.string(),
  ...vote,
  scope: nodePathSchema.exactOptional(),
});

/** Schema of a durable session event. */
export const sessionEventSchema = z
  .discriminatedUnion('type', [
    event('session-created', {
      agent: agentSchema,
      title: z.string().exactOptional(),
      cwd: z.string().exactOptional(),
      parent: parentSchema.exactOptional(),
      by: actorSchema.exactOptional(),
    }),
    event('session-opened', {
      epoch: count,
      pid: z.int(),
      host: z.string(),
      seal: z.string().exactOptional(),
      law: z.int().exactOptional(),
      owner: z.int().exactOptional(),
    }),
    event('approvals-voided', {
      past: z.string().exactOptional(),
      lost: z.object({ seq: count, mac: z.string(), count }).exactOptional(),
      restored: z.literal(true).exactOptional(),
    }),
    event('approvals-kept', {
      kept: z.array(z.object({ was: z.string(), now: z.string() })),
      by: actorSchema,
    }),
    event('history-imported', { messages: z.array(messageSchema) }),
    event('agent-changed', {
      agent: agentSchema,
      changed: z.array(z.string()).exactOptional().meta({
        description: 'Differences in the servers’ tool lists, one line each',
      }),
    }),
    event('message-added', {
      message: messageSchema,
      usage: usageSchema.exactOptional(),
      end: replyEndSchema.exactOptional(),
      refusal: refusalSchema.exactOptional(),
      by: actorSchema.exactOptional(),
    }),
    event('context-compacted', {
      from: z.int().min(0),
      to: z.int().min(1),
      summary: z.string(),
      decisions: z.array(z.string()),
      usage: usageSchema.exactOptional(),
    }),
    event('model-started', { attempt: count }),
    event('tool-started', {
      ref: toolRefSchema,
      name: z.string(),
      attempt: count,
      input: jsonValueSchema,
      effect: effectSchema,
      idempotencyKey: z.string(),
      startedAt: timeSchema,
      title: z.string().exactOptional(),
      plan: z.string().exactOptional(),
      code: z.string().exactOptional(),
    }),
    event('tool-settled', { ref: toolRefSchema, outcome: toolOutcomeSchema }),
    event('file-noted', {
      ref: toolRefSchema.exactOptional(),
      path: z.string(),
      before: fileBeforeSchema,
      after: z.string().nullable().exactOptional().meta({
        description:
          'SHA-256 after the change. Null if the file was removed, absent if it may contain a secret',
      }),
      by: actorSchema.exactOptional(),
    }),
    event('interrupt-raised', { interrupt: interruptSchema }),
    event('interrupt-resolved', {
      id: interruptIdSchema,
      digest: z.string(),
      resolution: resolutionSchema,
      by: actorSchema,
      resolvedAt: timeSchema,
      validUntil: timeSchema.exactOptional().meta({
        description: 'Approved work that starts after this time needs a new approval',
      }),
      secrets: z.array(z.string()).exactOptional().meta({
        description: 'JSON pointers of masked secrets in the resolution',
      }),
      votes: votesSchema.exactOptional(),
      receipt: z
        .string()
        .exactOptional()
        .meta({ description: 'Idempotency key of the answer, if it was posted' }),
      unread: z.object({ rows: count, of: count }).exactOptional().meta({
        description: 'Number of rows not shown, if the question was deliberately approved unread',
      }),
      proposal: z.literal(true).exactOptional().meta({
        description: 'A proposed edit that others must approve',
      }),
    }),
    voteCastSchema,
    event('reviewed', {
      id: interruptIdSchema,
      digest: z.string(),
      plan: z.string().meta({ description: 'Digest of the call as shown in the question' }),
      policy: z.string().meta({ description: 'Digest of the policy or command' }),
      by: reviewerSchema,
      mayAllow: z.enum(MAY_ALLOW),
      outcome: z.discriminatedUnion('type', [
        z.object({
          type: z.literal('said'),
          risk: z.enum(RISKS),
          authorized: z.enum(AUTHORIZATIONS),
          decision: z.enum(['allow', 'ask']),
          why: z.string(),
        }),
        z.object({ type: z.literal('failed'), failure: z.enum(REVIEW_FAILURES), message: z.string() }),
      ]),
      usage: usageSchema.exactOptional(),
    }),
    event('interrupt-escalated', { id: interruptIdSchema, interrupt: interruptSchema }),
    event('rule-added', {
      rule: z.object({
        effect: z.literal('allow'),
        tool: z.string(),
        toolDigest: z.string(),
        served: servedToolSchema.exactOptional(),
        scope: sessionScopeSchema.exactOptional(),
        until: z.string().exactOptional().meta({
          description: 'Time when its approval expires',
        }),
      }),
      by: actorSchema,
    }),
    event('history-rewound', { keep: z.int().min(0) }),
    event('rule-removed', { tool: z.string(), by: actorSchema }),
    event('run-ended', { reason: runEndSchema }),
    ...graphEventSchemas,
    ...inboxEventSchemas,
  ])
  .meta({ id: 'SessionEvent' }) satisfies z.ZodType<SessionEvent>;

/** Schema of an event that is not stored. */
export const transientEventSchema = z
  .discriminatedUnion('type', [
    event('text-delta', { text: z.string() }),
    event('reasoning-delta', { text: z.string() }),
    event('tool-input-delta', { name: z.string(), characters: z.int().min(0) }),
    event('provider-call', {
      name: z.string(),
      input: jsonValueSchema,
      by: z.literal('agent').exactOptional(),
    }),
    event('provider-result', { name: z.string(), facts: z.string(), failed: z.boolean() }),
    event('retrying', { attempt: count, waitMs: z.number().min(0), reason: z.string() }),
    event('restarted', {}),
    event('emitted', { data: jsonValueSchema }),
    event('compacting', { messages: count }),
    event('reviewing', { name: z.string() }),
    event('interrupt-open', { interrupt: interruptSchema }),
    event('tool-progress', { ref: toolRefSchema, name: z.string(), text: z.string() }),
  ])
  .meta({ id: 'TransientEvent' }) satisfies z.ZodType<TransientEvent>;

/** Schema of a journal line. */
export const storedEventSchema = z.object({
  v: z.literal(2),
  seq: count,
  at: timeSchema,
  scope: nodePathSchema,
  event: sessionEventSchema,
  foreign: z.literal(true).exactOptional(),
}) satisfies z.ZodType<StoredEvent>;
