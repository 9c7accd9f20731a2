import type { Shown } from '../../src/core/index.js';
// The law of configurations. A project's file counts only once a person trusts it as it is, and even then:
// L1 It may say what the table of settings lets anyone say.
// L2 Of what can be dangerous it may only say what allows less than you do: more of a sandbox, lower limits, no
//    unencrypted server, rules that deny and ask. What would allow more is left out, and told.
// L3 What the table keeps for you it cannot say at all; nor can it name an agent, which is a program that starts.
import { escapeText, membersOf } from '../../src/core/index.js';
import { ACP } from '../../src/models/acp/index.js';
import type { Config } from '../settings/settings.js';
import type { SettingRow } from '../settings/row.js';
import { isConfig, settingRows } from '../settings/settings.js';

/** The settings from a project's configuration that apply. */
export interface Lawful {
  readonly config: Config;
  /** Ignored settings and the reasons, one line each, safe for a terminal. */
  readonly problems: readonly Shown[];
}

/**
 * Returns the project settings that may apply. `mine` is the user's own configuration, which the project may
 * only make stricter.
 */
export function lawful(project: Config, mine: Config, path: string): Lawful {
  const kept: (readonly [string, unknown])[] = [];
  const problems: string[] = [];
  const theirs = new Map<string, unknown>(Object.entries(project));
  const own = new Map<string, unknown>(Object.entries(mine));
  for (const [key, row] of settingRows()) {
    const value = theirs.get(key);
    if (value === undefined) continue;
    const verdict = namesAgent(key, value) ? 'yours' : verdictOf(row, value, own.get(key) ?? row.default);
    if (verdict === 'counts') kept.push([key, value]);
    if (verdict === 'wider')
      problems.push(`\`${key}\` in ${path} ignored: a project can only be stricter than your own settings`);
    if (verdict === 'yours')
      problems.push(`\`${key}\` in ${path} ignored: it can only be set in your own configuration`);
  }
  return { config: configOf(kept), problems: problems.map((problem) => escapeText(problem)) };
}

/** Whether a model setting or an alias refers to an agent (L3). */
function namesAgent(key: string, value: unknown): boolean {
  if (key !== 'model' && key !== 'models') return false;
  const specs = typeof value === 'string' ? [value] : Object.values(membersOf(value));
  return specs.some((spec) => typeof spec === 'string' && spec.trim().startsWith(ACP));
}

/** Builds a configuration from properties of other configurations. */
export function configOf(members: Iterable<readonly [string, unknown]>): Config {
  const found = Object.fromEntries(members);
  return isConfig(found) ? found : {};
}

function verdictOf(
  { file, kind }: SettingRow,
  theirs: unknown,
  mine: unknown,
): 'counts' | 'same' | 'wider' | 'yours' {
  if (file === 'you') return 'yours'; // L3
  if (file === 'anyone' || kind.type === 'rules') return 'counts'; // L1; rules are sorted one by one
  if (kind.type === 'reviewer') return theirs === false ? 'counts' : 'wider'; // L2
  const [wanted, given] = [freedom(kind, theirs), freedom(kind, mine)]; // L2
  if (wanted === given) return 'same';
  return wanted < given ? 'counts' : 'wider';
}

/** Returns a measure of how much a value allows. A lower number is stricter. */
function freedom(kind: SettingRow['kind'], value: unknown): number {
  if (kind.type === 'choice') return -kind.of.findIndex((choice) => choice === value);
  if (value === undefined) return Number.POSITIVE_INFINITY; // no limit
  return Number(value);
}
