import * as z from 'zod';

import type { InterruptId, NodePath, SessionId, ToolRef } from '../ids.js';
import { interruptId, isName, isSessionId, nodePath, toolRef } from '../ids.js';

export const sessionIdSchema = z
  .string()
  .transform((text, context): SessionId => {
    if (isSessionId(text)) return text;
    context.issues.push({ code: 'custom', message: 'expected the id of a session', input: text });
    return z.NEVER;
  })
  .meta({ id: 'SessionId', description: 'Names one session', pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' });

function refused({ issues }: z.RefinementCtx, input: string): never {
  issues.push({ code: 'custom', message: 'holds signs that do not show as what they are', input });
  return z.NEVER;
}

export const toolRefSchema = z
  .string()
  .transform((text, context): ToolRef => (isName(text) ? toolRef(text) : refused(context, text)))
  .meta({ id: 'ToolRef', description: 'Names one tool request, unique within a session' });

export const interruptIdSchema = z
  .string()
  .transform((text, context): InterruptId => (isName(text) ? interruptId(text) : refused(context, text)))
  .meta({ id: 'InterruptId', description: 'Names one interrupt, unique within a session' });

export const nodePathSchema = z
  .string()
  .transform((text, context): NodePath => (isName(text) ? nodePath(text) : refused(context, text)))
  .meta({ id: 'NodePath', description: 'Where in a workflow; empty for the chat itself' });
