import { InvalidArgumentError } from 'commander';
import type { JsonObject } from '../../src/core/index.js';
import { durationMs, isReservedKey, parseStrictJson } from '../../src/core/index.js';

/** Reads a whole number within bounds; for commander. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/u.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`must be a whole number from ${min} to ${max}.`);
  };
}

/** Reads US dollars: `2`, `0.50`, `$3`. */
export function dollars(text: string): number {
  const value = /^\$?\d+(?:\.\d+)?$/u.test(text) ? Number(text.replace('$', '')) : Number.NaN;
  if (value > 0) return value;
  throw new InvalidArgumentError('must be an amount of US dollars above 0, such as 0.50.');
}

/** Reads a duration as milliseconds, as answers do: `90s`, `5m`, `2h`; a bare number is seconds. */
export function duration(text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('must be a duration above 0, such as 90s, 5m or 2h.');
}

/** The name of a folder; none is no default. */
export function folderName(text: string): string {
  if (text !== '') return text;
  throw new InvalidArgumentError('must name a folder.');
}

/** Collects a flag that may be given several times. */
export function collected(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** `<interrupt>=<answer>`; several of them collect, one for each interrupt (G16). */
export function interruptAnswer(
  text: string,
  before: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('must be <interrupt>=<answer>, such as i1=yes.');
  const interrupt = text.slice(0, at);
  if (before.some(([other]) => other === interrupt))
    throw new InvalidArgumentError(`${interrupt} is answered already by another --answer.`);
  return [...before, [interrupt, text.slice(at + 1)]];
}

/** `<key>=<value>`, the value as JSON or else as text; several of them collect. */
export function stateEntry(text: string, before: JsonObject = {}): JsonObject {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('must be <key>=<value>, such as topic=prices or limit=3.');
  const [key, given] = [text.slice(0, at), text.slice(at + 1)];
  if (isReservedKey(key)) throw new InvalidArgumentError(`the key \`${key}\` is reserved.`);
  const json = parseStrictJson(given);
  return { ...before, [key]: json.ok ? json.value : given };
}
