import { assertNever, durationMs } from '../../src/core/index.js';
import type { ReadValue, SettingKind } from './kind.js';

/** The accepted words for on and off. */
const SWITCH: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['off', false],
  ['0', false],
]);

/**
 * Parses a value from any source: a flag, an environment variable, an argument of `hitl config set`, or a
 * string or number in a configuration. All sources use this parser.
 */
export function readValue(kind: SettingKind, text: string): ReadValue {
  const value = valueIn(kind, text);
  return value === undefined ? { ok: false, expected: expectedOf(kind) } : { ok: true, value };
}

function valueIn(kind: SettingKind, text: string): string | number | boolean | undefined {
  switch (kind.type) {
    case 'text':
    case 'texts':
    case 'names':
    case 'rules':
    case 'objects':
    case 'reviewer':
    case 'hooks':
    case 'profiles':
      return text;
    case 'url':
      return isWebAddress(text) ? text : undefined;
    case 'switch':
      return SWITCH.get(text.toLowerCase());
    case 'whole': {
      const value = /^\d{1,15}$/u.test(text) ? Number(text) : Number.NaN;
      return value >= kind.min && value <= kind.max ? value : undefined;
    }
    case 'dollars': {
      const value = /^\$?\d{1,12}(?:\.\d{1,9})?$/u.test(text) ? Number(text.replace('$', '')) : 0;
      return value > 0 ? value : undefined;
    }
    case 'duration':
      return durationMs(text);
    case 'choice':
      return kind.of.find((choice) => choice === text);
    default:
      return assertNever(kind);
  }
}

/** Describes the expected value, for an error. */
export function expectedOf(kind: SettingKind): string {
  switch (kind.type) {
    case 'text':
      return 'must be a string';
    case 'url':
      return 'must be a URL that starts with http:// or https://';
    case 'switch':
      return 'must be true or false';
    case 'whole':
      return `must be a whole number from ${kind.min} to ${kind.max}`;
    case 'dollars':
      return 'must be an amount in US dollars above 0, such as 0.50';
    case 'duration':
      return 'must be a duration above 0, such as 90s, 5m or 1h30m; a bare number is seconds';
    case 'choice':
      return `must be ${kind.of.slice(0, -1).join(', ')} or ${kind.of.at(-1) ?? ''}`;
    case 'texts':
      return 'must be a list of strings';
    case 'names':
      return 'must be an object with string values';
    case 'rules':
      return 'must be an object with the lists allow, ask and deny';
    case 'objects':
      return `must be an object that maps names to ${kind.of}`;
    case 'reviewer':
      return 'must be false, { "model", "policy", "mayAllow" } or { "command", "mayAllow" }';
    case 'hooks':
      return 'must be { "onError": "ask" } or { "onError": "deny" }';
    case 'profiles':
      return 'must be an object that maps names to configurations';
    default:
      return assertNever(kind);
  }
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol);
}
