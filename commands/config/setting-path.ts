import { HitlError, meantHint, nearNames } from '../../src/core/index.js';
import type { ConfigKey } from '../settings/settings.js';
import type { SettingKind } from '../settings/kind.js';
import { isConfigKey, settingRows } from '../settings/settings.js';
import { SETTINGS } from '../settings/table.js';

/** The path of a value in a configuration, and its kind. */
export interface SettingPlace {
  readonly key: ConfigKey;
  readonly path: readonly string[];
  readonly kind: SettingKind;
}

/**
 * Parses a setting name in the form accepted by `hitl config set`: `maxTurns`, `models.fast`,
 * `profiles.work.model`.
 * @throws HitlError USAGE suggesting the closest name.
 */
export function settingPlace(name: string): SettingPlace {
  const [first = '', ...rest] = name.split('.');
  if (!isConfigKey(first)) throw noSetting(first);
  const { kind } = SETTINGS[first];
  if (kind.type === 'profiles' && rest.length > 1) {
    const [profile = '', ...inner] = rest;
    const { path, ...place } = settingPlace(inner.join('.'));
    return { ...place, path: [first, profile, ...path] };
  }
  if (rest.length === 0) return { key: first, path: [first], kind };
  if (kind.type === 'names') return { key: first, path: [first, rest.join('.')], kind: { type: 'text' } };
  if (kind.type === 'profiles') return { key: first, path: [first, ...rest], kind };
  throw new HitlError('USAGE', `\`${name}\`: \`${first}\` is not an object`, { hint: `say: ${first}` });
}

/** Creates the error for an unknown setting. */
export function noSetting(name: string): HitlError {
  const keys = settingRows().map(([key]) => key);
  const flag = settingRows().find(([key]) => key === name)?.[1].flag;
  if (flag !== undefined)
    return new HitlError('USAGE', `\`${name}\` cannot be set in a configuration file`, {
      hint: `use ${flag}`,
    });
  return new HitlError('USAGE', `unknown setting \`${name}\``, {
    hint: meantHint(nearNames(name, keys), `valid settings: ${keys.join(', ')}`),
  });
}
