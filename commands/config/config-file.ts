import { join } from 'node:path';
import { messageOf } from '../../src/core/index.js';
import type { Config } from '../settings/index.js';
import { foundBytes } from './found-file.js';
import type { Io } from '../host/index.js';
import { configFolder } from '../host/index.js';

export interface LoadedConfig {
  readonly path: string;
  /** Empty where there is no file. */
  readonly config: Config;
  readonly exists: boolean;
  /** What stands in the file; absent where that is code, or nothing. */
  readonly text?: string;
}

/**
 * Reads the user's configuration, `config.json` in the folder of configuration.
 * @throws HitlError BAD_CONFIG naming every key that does not fit.
 */
export async function loadConfig(io: Io): Promise<LoadedConfig> {
  const path = join(configFolder(io), 'config.json');
  const bytes = foundBytes(path);
  if (bytes === undefined) return { path, config: {}, exists: false };
  return { path, config: await configFrom(bytes, path), exists: true, text: bytes.toString('utf8') };
}

/**
 * Reads the content of a configuration.
 * @throws HitlError BAD_CONFIG naming every key that does not fit.
 */
export async function configFrom(bytes: Buffer, path: string): Promise<Config> {
  // Most people have no configuration: what checks one is loaded with the first that is there.
  const { badConfig, checkConfig } = await import('./config-schema.js');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw badConfig(path, messageOf(cause), cause);
  }
  return checkConfig(value, path);
}
