import * as z from 'zod';

import { HitlError, messageOf } from '../core/index.js';
import { replyEndSchema, usageSchema } from '../core/told/schemas.js';
import type { ScriptReply } from './script-reply.js';
import type { PlayedModel, ScriptedModelOptions } from './scripted-model.js';
import { playedModel } from './scripted-model.js';

const Reply = z.strictObject({
  text: z.string().exactOptional(),
  tools: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        input: z.json().exactOptional(),
        ref: z.string().min(1).exactOptional(),
      }),
    )
    .exactOptional(),
  delayMs: z.number().min(0).max(3_600_000).exactOptional(),
  error: z
    .strictObject({
      status: z.int().min(100).max(599).exactOptional(),
      type: z.string().exactOptional(),
      message: z.string(),
    })
    .exactOptional(),
  end: replyEndSchema.exactOptional(),
  usage: usageSchema.strict().exactOptional(),
  when: z
    .strictObject({
      user: z.string().exactOptional(),
      toolResult: z
        .union([
          z.string(),
          z.strictObject({
            tool: z.string().exactOptional(),
            text: z.string().exactOptional(),
            isError: z.boolean().exactOptional(),
          }),
        ])
        .exactOptional(),
    })
    .refine(
      (when) => when.user !== undefined || when.toolResult !== undefined,
      'must specify `user` or `toolResult`',
    )
    .exactOptional(),
}) satisfies z.ZodType<ScriptReply>;

/** A script's replies with their line numbers. */
export interface Script {
  readonly replies: readonly ScriptReply[];
  /** Line numbers, starting at 1. */
  readonly lines: readonly number[];
}

function badLine(file: string, line: number, why: string, cause: unknown): HitlError {
  return new HitlError('BAD_SCRIPT', `${file}:${line}: ${why}`, {
    hint: 'each line is one reply, for example {"text":"Hello"} or {"tools":[{"name":"get_balance"}]}',
    cause,
  });
}

function parseReply(text: string, file: string, line: number): ScriptReply {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw badLine(file, line, `not JSON: ${messageOf(cause)}`, cause);
  }
  const parsed = Reply.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `\`${path.map(String).join('.')}\`: ${message}`,
  );
  throw badLine(file, line, issues.join('; '), parsed.error);
}

/**
 * Parses a script in JSON Lines format, one reply per line. Blank lines are ignored but counted.
 * @throws HitlError BAD_SCRIPT with file and line.
 */
export function parseScript(text: string, file: string): Script {
  const replies: ScriptReply[] = [];
  const lines: number[] = [];
  for (const [index, line] of text
    .replace(/^\u{FEFF}/u, '')
    .split(/\r?\n/u)
    .entries()) {
    if (line.trim() === '') continue;
    replies.push(parseReply(line, file, index + 1));
    lines.push(index + 1);
  }
  return { replies, lines };
}

/**
 * Creates the model for `script:<file>`.
 * @throws HitlError BAD_SCRIPT with file and line.
 */
export function scriptFileModel(
  text: string,
  file: string,
  options: Omit<ScriptedModelOptions, 'placeOf'> = {},
): PlayedModel {
  const { replies, lines } = parseScript(text, file);
  const placeOf = (index: number) => `${file}:${lines[index] ?? 0}`;
  return playedModel(replies, { id: `script:${file}`, ...options, placeOf });
}
