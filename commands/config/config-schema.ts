import { HitlError } from '../../src/core/index.js';
import * as z from 'zod';

/** What a configuration file may say; nothing else is taken. */
const configSchema = z.strictObject({
  /** As `--model`. */
  model: z.string().exactOptional(),
  baseUrl: z.url().exactOptional(),
  /** As `--allow-http`. */
  allowHttp: z.boolean().exactOptional(),
  system: z.string().exactOptional(),
  /** Tool modules, relative to the file's folder. */
  tools: z.array(z.string()).exactOptional(),
  maxTurns: z.int().min(1).max(1000).exactOptional(),
  /** US dollars. */
  maxCost: z.number().positive().exactOptional(),
  /** Milliseconds. */
  maxTime: z.int().positive().exactOptional(),
  /** As `--sandbox`. A project can only ask for more of it. */
  sandbox: z.enum(['auto', 'off', 'required']).exactOptional(),
  /** Whether the row under the prompt says where one is. Default true. */
  statusLine: z.boolean().exactOptional(),
  /** As `--answers-from`. A project can only say `here`. */
  answersFrom: z.enum(['here', 'anywhere']).exactOptional(),
  /** Names for models, each with the spec that it stands for. */
  models: z.record(z.string(), z.string()).exactOptional(),
  /** What is allowed, asked and denied, as lists of texts. A rule that cannot be read is no error: it asks. */
  rules: z.unknown().optional(),
});

export type Config = z.infer<typeof configSchema>;

/**
 * Checks what a configuration says.
 * @throws HitlError BAD_CONFIG naming every key that does not fit.
 */
export function checkConfig(value: unknown, path: string): Config {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw badConfig(path, parsed.error.issues.map(issueText).join('; '));
}

/** The error for a configuration that does not fit. */
export function badConfig(path: string, why: string, cause?: unknown): HitlError {
  const keys = Object.keys(configSchema.shape).join(', ');
  return new HitlError('BAD_CONFIG', `the configuration \`${path}\` does not fit: ${why}`, {
    hint: `its keys are: ${keys}`,
    cause,
  });
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
