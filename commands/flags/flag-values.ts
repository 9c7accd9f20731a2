import { InvalidArgumentError } from '@commander-js/extra-typings';
import type { JsonObject } from '../../src/core/index.js';
import { isReservedKey, parseStrictJson, readQuestionName } from '../../src/core/index.js';
import type { NumberKind } from '../settings/kind.js';
import { expectedOf, readValue } from '../settings/read-value.js';

/**
 * Returns a parser for numbers in flags, which accepts the same formats as configurations and the
 * environment. For commander.
 */
export function valueOf(kind: NumberKind): (text: string) => number {
  return (text) => {
    const read = readValue(kind, text);
    if (read.ok && typeof read.value === 'number') return read.value;
    throw new InvalidArgumentError(`${expectedOf(kind)}.`);
  };
}

/** Parses a duration in milliseconds for commander; 0 means none. */
export function durationOrNone(text: string): number {
  return text === '0' ? 0 : valueOf({ type: 'duration' })(text);
}

/** A local address and port. */
export interface ListenPlace {
  readonly address: string;
  readonly port: number;
}

/**
 * Parses `127.0.0.1:9464`, `[::1]:9464`, or just a port. A port alone accepts connections only from this
 * machine. For commander.
 */
export function listenPlace(text: string): ListenPlace {
  const [, v6, name = '127.0.0.1', digits = ''] =
    /^(?:(?:\[([^\]\s]+)\]|([^:\s]+)):)?(\d{1,5})$/u.exec(text) ?? [];
  const port = Number(digits);
  if (digits !== '' && port <= LAST_PORT) return { address: v6 ?? name, port };
  throw new InvalidArgumentError('must be an address and a port, such as 127.0.0.1:9464.');
}

const LAST_PORT = 65_535;

/** Returns a commander parser for a whole number within bounds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return valueOf({ type: 'whole', min, max });
}

/** Parses an event number, or the name of a location in a workflow. */
export function recordOrPlace(text: string): number | string {
  return /^[0-9]+$/u.test(text) ? Number(text) : text;
}

/** Parses a folder name, which must not be empty. */
export function folderName(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('must name a folder.');
}

/** Collects the values of a repeatable flag. */
export function collected(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Collects `<interrupt>[@digest]=<answer>`, at most one answer for each interrupt (G16). */
export function interruptAnswer(
  text: string,
  before: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('must be <interrupt>=<answer>, such as i1=yes.');
  const interrupt = text.slice(0, at);
  const name = readQuestionName(interrupt);
  if (interrupt.includes('@') && name.digest === undefined)
    throw new InvalidArgumentError('must have at least 8 digest digits after the @: i1@3db9c6df=y.');
  if (before.some(([other]) => readQuestionName(other).interrupt === name.interrupt))
    throw new InvalidArgumentError(`${name.interrupt} is already answered by another --answer.`);
  return [...before, [interrupt, text.slice(at + 1)]];
}

/** Collects `<name>=<value>`. The value stays a string. */
export function textEntry(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('must be <name>=<value>, such as host=web-1.');
  const name = text.slice(0, at);
  if (isReservedKey(name)) throw new InvalidArgumentError(`\`${name}\` is reserved.`);
  return { ...before, [name]: text.slice(at + 1) };
}

/** Collects `<key>=<value>`. The value is parsed as JSON if possible; otherwise it stays a string. */
export function stateEntry(text: string, before: JsonObject = {}): JsonObject {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('must be <key>=<value>, such as topic=prices or limit=3.');
  const [key, given] = [text.slice(0, at), text.slice(at + 1)];
  if (isReservedKey(key)) throw new InvalidArgumentError(`the key \`${key}\` is reserved.`);
  const json = parseStrictJson(given);
  return { ...before, [key]: json.ok ? json.value : given };
}
