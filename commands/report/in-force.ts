import { present } from '../../src/core/index.js';
import { detectSandbox } from '../../src/tools/index.js';
import { chosenModel } from '../agent/choose-model.js';
import type { Effective, Source } from '../config/effective.js';
import { rulesOf } from '../config/said-rules.js';
import { setVariable } from '../config/variables.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { sessionsFolder, stateFolder } from '../host/index.js';
import { shownLocks, shownStore } from '../store/address.js';
import { isColoured, isDumb } from '../screen/terminal-facts.js';
import type { SettingKey } from '../settings/settings.js';
import type { SettingRow } from '../settings/row.js';
import { settingRows } from '../settings/settings.js';

/** A setting as the next run would use it. */
export interface SettingInForce {
  readonly key: SettingKey;
  /** Absent if the setting has no value. */
  readonly value?: unknown;
  readonly source: Source;
  /** The flag, variable or file that sets the value; empty for a default. */
  readonly from: string;
  /** The effect on the next run, if the value alone does not show it. */
  readonly does?: string;
}

type Found = Omit<SettingInForce, 'key'>;

/** Returns the settings that the next run would use, and the source of each. Never contains a key. */
export async function settingsInForce(
  io: Io,
  given: RunFlags,
  effective: Effective,
): Promise<readonly SettingInForce[]> {
  const own = await foundOutside(io, given, effective);
  return settingRows().map(([key, row]) => {
    const found = said({ io, given, effective }, key, row);
    return { key, ...found, ...own.get(key)?.(found) };
  });
}

interface Place {
  readonly io: Io;
  readonly given: RunFlags;
  readonly effective: Effective;
}

/**
 * Returns the value of a setting from its strongest source: a flag, a variable, a file, or the default in the
 * settings table.
 */
function said({ io, given, effective }: Place, key: SettingKey, row: SettingRow): Found {
  const flag = membersOf(given).get(key);
  const isGiven = flag !== undefined && !(key === 'color' && flag === true);
  if (row.flag !== undefined && isGiven) return { value: flag, source: 'flag', from: flagName(row.flag) };
  for (const layer of effective.layers) {
    const value = membersOf(layer.config).get(key);
    if (value !== undefined) return { value, source: layer.source, from: layer.from(key) };
  }
  const variable = row.file === undefined ? setVariable(row, io.env) : undefined;
  if (variable !== undefined) return { value: io.env[variable], source: 'environment', from: variable };
  return { ...(row.default !== undefined && { value: row.default }), source: 'default', from: '' };
}

/** Returns the properties that differ from those found in flags, variables and files. */
type Finds = (found: Found) => Partial<Found>;

/**
 * Returns corrections for settings whose value is not determined by flags and files alone, such as the chosen
 * model.
 */
async function foundOutside(
  io: Io,
  given: RunFlags,
  effective: Effective,
): Promise<ReadonlyMap<SettingKey, Finds>> {
  const { config, flags, files } = effective;
  const chosen = await chosenModel(io, given, { config });
  const { rules } = rulesOf(io, files);
  const sandbox = await sandboxWords(flags.sandbox ?? 'auto');
  const asked = config.apiKeyCommand && 'run when needed: `apiKeyCommand`';
  const server = chosen.baseUrl === undefined ? undefined : addressOf(chosen.baseUrl);
  return new Map<SettingKey, Finds>([
    [
      'model',
      ({ source }) => ({ value: chosen.spec, ...(source === 'default' && present({ does: chosen.notice })) }),
    ],
    ['baseUrl', () => present({ value: server })],
    ['sandbox', () => ({ does: sandbox })],
    [
      'rules',
      () => {
        if (rules.length === 0) return { value: undefined, source: 'default', from: '' };
        const files = new Set(rules.map(({ from }) => from.replace(/:\d+$/u, '')));
        return { value: rules.map(({ text }) => text), from: [...files].join(', ') };
      },
    ],
    ['profiles', namesIn],
    ['mcpServers', namesIn],
    ['channels', namesIn],
    ['sessions', () => ({ value: sessionsFolder(io, given.sessions) })],
    ['store', () => shownStore(io, given)],
    ['storeLocks', () => shownLocks(io)],
    ['home', () => ({ value: stateFolder(io) })],
    ['notify', programIn],
    ['apiKeyCommand', programIn],
    ['storeKey', ({ value }) => (value === undefined ? {} : { value: 'set' })],
    ['apiKey', ({ value }) => (value === undefined ? present({ value: asked }) : { value: 'set' })],
    ['color', () => ({ value: isColoured(io, io.stdout, given.color) ? 'on' : 'off' })],
    ['accessible', () => ({ value: isDumb(io) })],
  ]);
}

/** Hides the arguments of a command, because they may contain a secret. */
function programIn({ value }: Found): { readonly value?: readonly unknown[] } {
  const [program, ...args] = Array.isArray(value) ? value.map(String) : [];
  return args.length === 0 ? {} : { value: [program, '…'] };
}

/**
 * Replaces an object with its keys. Used for profiles, whose contents are shown when they are active, and for
 * servers and channels, whose contents may include secrets.
 */
function namesIn({ value }: Found): { readonly value?: readonly string[] } {
  return typeof value === 'object' && value !== null ? { value: Object.keys(value) } : {};
}

/** Returns the URL of a server without the user name and password. */
function addressOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  if (url.username === '' && url.password === '') return baseUrl;
  url.username = '';
  url.password = '';
  return url.href;
}

async function sandboxWords(mode: 'auto' | 'off' | 'required'): Promise<string> {
  if (mode === 'off') return 'commands run without a sandbox';
  const found = await detectSandbox();
  if ('sandbox' in found) return 'commands run in a sandbox: bubblewrap';
  return mode === 'required'
    ? `commands do not run: no sandbox (${found.why})`
    : `commands run without a sandbox (${found.why})`;
}

function membersOf(values: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(values));
}

/** Returns the long name of a flag: `--model` for `-m, --model <spec>`. */
function flagName(flag: string): string {
  return /--[a-z-]+/u.exec(flag)?.[0] ?? flag;
}
