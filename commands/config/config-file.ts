import { join } from 'node:path';
import { messageOf } from '../../src/core/index.js';
import type { Config } from '../settings/index.js';
import type { DocumentPath } from './document.js';
import { foundBytes } from '../trust/index.js';
import type { Io } from '../host/index.js';
import { configFolder } from '../host/index.js';

/** A configuration as it was read. */
export interface ReadConfig {
  readonly config: Config;
  /** Counts from 1; absent where the configuration is code. */
  readonly lineOf?: (path: DocumentPath) => number;
}

/** A configuration, and the file that it is from. */
export interface LoadedConfig extends ReadConfig {
  readonly path: string;
  readonly exists: boolean;
}

/**
 * Reads the user's configuration, `config.json` in the folder of configuration.
 * @throws HitlError BAD_CONFIG naming every key that does not fit, with its line.
 */
export async function loadConfig(io: Pick<Io, 'env' | 'home'>): Promise<LoadedConfig> {
  const path = join(configFolder(io), 'config.json');
  const bytes = foundBytes(path);
  if (bytes === undefined) return { path, config: {}, exists: false };
  return { path, ...(await configFrom(bytes.toString('utf8'), path)), exists: true };
}

/**
 * Reads the text of a configuration: JSON with comments.
 * @throws HitlError BAD_CONFIG naming every key that does not fit, with its line.
 */
export async function configFrom(text: string, path: string): Promise<Required<ReadConfig>> {
  // Most people have no configuration: what reads one is loaded with the first that is there.
  const { badConfig, checkConfig } = await import('./config-schema.js');
  const { readDocument } = await import('./document.js');
  try {
    const document = readDocument(text);
    const lineOf = (at: DocumentPath): number => document.lineOf(at);
    return { config: checkConfig(document.value, path, lineOf), lineOf };
  } catch (cause) {
    throw cause instanceof SyntaxError ? badConfig(path, messageOf(cause), cause) : cause;
  }
}
