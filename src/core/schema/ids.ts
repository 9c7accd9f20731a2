import * as z from 'zod';

import type { InterruptId, NodePath, SessionId, ToolRef } from '../ids.js';
import { interruptId, isSessionId, nodePath, toolRef } from '../ids.js';

export const sessionIdSchema = z
  .string()
  .transform((text, context): SessionId => {
    if (isSessionId(text)) return text;
    context.issues.push({ code: 'custom', message: 'expected the id of a session', input: text });
    return z.NEVER;
  })
  .meta({ id: 'SessionId', description: 'Names one session', pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' });

export const toolRefSchema = z
  .string()
  .transform((text): ToolRef => toolRef(text))
  .meta({ id: 'ToolRef', description: 'Names one tool request, unique within a session' });

export const interruptIdSchema = z
  .string()
  .transform((text): InterruptId => interruptId(text))
  .meta({ id: 'InterruptId', description: 'Names one interrupt, unique within a session' });

export const nodePathSchema = z
  .string()
  .transform((text): NodePath => nodePath(text))
  .meta({ id: 'NodePath', description: 'Where in a workflow; empty for the chat itself' });
