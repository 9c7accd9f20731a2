import { HitlError } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import type { Config } from '../settings/settings.js';
import type { SettingRow } from '../settings/row.js';
import { readValue } from '../settings/read-value.js';
import { settingRows } from '../settings/settings.js';
import { configOf } from './law.js';

/** Settings read from the environment, with the names of the variables that set them. */
export interface Variables {
  readonly config: Config;
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Reads settings from environment variables, limited to settings that can also be in a configuration. An
 * empty variable is treated as not set.
 * @throws HitlError USAGE for an invalid value.
 */
export function variablesIn({ env }: Pick<Io, 'env'>): Variables {
  const names = new Map<string, string>();
  const members: (readonly [string, unknown])[] = [];
  for (const [key, row] of settingRows()) {
    const name = row.file === undefined ? undefined : setVariable(row, env);
    if (name === undefined) continue;
    names.set(key, name);
    members.push([key, valueIn(row, name, env[name] ?? '')]);
  }
  return { config: configOf(members), names };
}

/** Returns the first variable that is set for a setting, or `undefined` if none is. */
export function setVariable({ variables = [] }: SettingRow, env: Io['env']): string | undefined {
  return variables.find((name) => (env[name] ?? '') !== '');
}

function valueIn({ kind, flag = '' }: SettingRow, name: string, text: string): unknown {
  if (kind.type === 'url') return text; // who makes the model says what is wrong with it
  const read = readValue(kind, text);
  if (read.ok) return read.value;
  throw new HitlError('USAGE', `environment variable \`${name}\` ${read.expected}, got \`${text}\``, {
    hint: `unset it, or set it with ${flag}`,
  });
}
