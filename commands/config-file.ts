import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HitlError, messageOf } from '../src/core/index.js';
import * as z from 'zod';
import type { Io } from './io.js';
import { configFolder } from './paths.js';

/** What a configuration file may say; nothing else is taken. */
const configSchema = z.strictObject({
  /** As `--model`. */
  model: z.string().exactOptional(),
  baseUrl: z.url().exactOptional(),
  system: z.string().exactOptional(),
  /** Tool modules, relative to the file's folder. */
  tools: z.array(z.string()).exactOptional(),
  maxTurns: z.int().min(1).max(1000).exactOptional(),
  /** US dollars. */
  maxCost: z.number().positive().exactOptional(),
  /** Milliseconds. */
  maxTime: z.int().positive().exactOptional(),
  /** Names for models, each with the spec that it stands for. */
  models: z.record(z.string(), z.string()).exactOptional(),
  /** What is allowed, asked and denied, as lists of texts. A rule that cannot be read is no error: it asks. */
  rules: z.unknown().optional(),
});

export type Config = z.infer<typeof configSchema>;

export interface LoadedConfig {
  readonly path: string;
  /** Empty where there is no file. */
  readonly config: Config;
  readonly exists: boolean;
}

/**
 * Reads the user's configuration, `config.json` in the folder of configuration.
 * @throws HitlError BAD_CONFIG naming every key that does not fit.
 */
export async function loadConfig(io: Io): Promise<LoadedConfig> {
  const path = join(configFolder(io), 'config.json');
  const bytes = await configBytes(path);
  if (bytes === undefined) return { path, config: {}, exists: false };
  return { path, config: configFrom(bytes, path), exists: true };
}

/**
 * Reads the content of a configuration.
 * @throws HitlError BAD_CONFIG naming every key that does not fit.
 */
export function configFrom(bytes: Buffer, path: string): Config {
  return configOf(jsonOf(bytes.toString('utf8'), path), path);
}

/**
 * Reads a configuration that a module exports.
 * @throws HitlError BAD_CONFIG naming every key that does not fit.
 */
export function configOf(value: unknown, path: string): Config {
  const parsed = configSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw wrong(path, parsed.error.issues.map(issueText).join('; '));
}

/**
 * The content of a configuration; `undefined` where there is none.
 * @throws HitlError BAD_CONFIG where it cannot be read.
 */
export async function configBytes(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
    throw new HitlError('BAD_CONFIG', `cannot read the configuration \`${path}\`: ${messageOf(cause)}`, {
      hint: 'make it readable, or move it away',
      cause,
    });
  }
}

function jsonOf(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw wrong(path, messageOf(cause), cause);
  }
}

function wrong(path: string, why: string, cause?: unknown): HitlError {
  const keys = Object.keys(configSchema.shape).join(', ');
  return new HitlError('BAD_CONFIG', `the configuration \`${path}\` does not fit: ${why}`, {
    hint: `its keys are: ${keys}`,
    cause,
  });
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
