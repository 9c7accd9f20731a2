import { join } from 'node:path';
import { messageOf } from '../../src/core/index.js';
import type { Config } from '../settings/settings.js';
import type { DocumentPath } from './document.js';
import { foundBytes } from '../../src/files/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import type { ProjectServers } from '../mcp/project-servers.js';
import { configFolder } from '../host/index.js';
import { badConfig, checkConfig } from './config-schema.js';
import { readDocument } from './document.js';

/** The contents of a configuration file. */
export interface ReadConfig {
  readonly config: Config;
  /** Returns the line number of a path, starting at 1; absent if the configuration is code. */
  readonly lineOf?: (path: DocumentPath) => number;
}

/** A configuration and the file it was read from. */
export interface LoadedConfig extends ReadConfig {
  readonly path: string;
  readonly exists: boolean;
}

/** A configuration that someone other than the user may have written. */
export interface ProjectConfig extends LoadedConfig {
  /** False: ignored. */
  readonly trusted: boolean;
}

/** Options for reading a project configuration. */
export interface Project {
  readonly io: Io;
  readonly flags: RunFlags;
  readonly mode: Mode | undefined;
  readonly what: string;
}

/** The files that settings are read from. */
export interface ConfigFiles {
  readonly user: LoadedConfig;
  /** The active profile; an empty name means none. */
  readonly profile: { readonly name: string; readonly config: Config };
  readonly project: ProjectConfig;
  readonly local: ProjectConfig;
  /** MCP servers from the project's file, if any. */
  readonly servers?: ProjectServers;
}

/**
 * Reads the user's `config.json`.
 * @throws HitlError BAD_CONFIG listing every invalid key with its line.
 */
export function loadConfig(io: Pick<Io, 'env' | 'home'>): LoadedConfig {
  const path = join(configFolder(io), 'config.json');
  const bytes = foundBytes(path);
  if (bytes === undefined) return { path, config: {}, exists: false };
  return { path, ...configFrom(bytes.toString('utf8'), path), exists: true };
}

/**
 * Parses a configuration: JSON with comments.
 * @throws HitlError BAD_CONFIG listing every invalid key with its line.
 */
export function configFrom(text: string, path: string): Required<ReadConfig> {
  // Most people have no configuration: what reads one is loaded with the first that is there.
  try {
    const document = readDocument(text);
    const lineOf = (at: DocumentPath): number => document.lineOf(at);
    return { config: checkConfig(document.value, path, lineOf), lineOf };
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const hint = 'check the JSON syntax (comments and trailing commas are allowed)';
    throw badConfig(path, messageOf(cause), { hint, cause });
  }
}
