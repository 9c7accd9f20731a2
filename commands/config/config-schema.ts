import {
  ambiguousDuration,
  assertNever,
  HitlError,
  isJsonObject,
  MAY_ALLOW,
  nearNames,
} from '../../src/core/index.js';
import * as z from 'zod';
import type { Config } from '../settings/settings.js';
import type { SettingKind } from '../settings/kind.js';
import { expectedOf, readValue } from '../settings/read-value.js';
import { isConfig, settingRows } from '../settings/settings.js';
import type { DocumentPath } from './document.js';

/**
 * Builds the schema of a whole configuration from the schema of each kind. Rejects keys that are not in the
 * settings table.
 */
export function schemaOf(member: (kind: SettingKind) => z.ZodType): z.ZodObject {
  return schemaWith(member, () => true);
}

/**
 * @param has whether the schema needs a key. Other keys are left out to save time when only a few values are
 * checked.
 */
function schemaWith(member: (kind: SettingKind) => z.ZodType, has: (key: string) => boolean): z.ZodObject {
  const profiles = (): z.ZodType => {
    const inProfile = z.strictObject(
      membersOf(
        (kind) => (kind.type === 'profiles' || kind.type === 'hooks' ? undefined : member(kind)),
        () => true,
      ),
    );
    return z.record(z.string(), inProfile, { error: expectedOf({ type: 'profiles' }) });
  };
  return z.strictObject({
    $schema: z.string().describe('for editors').exactOptional(),
    ...membersOf((kind) => (kind.type === 'profiles' ? profiles() : member(kind)), has),
  });
}

/**
 * Builds a property for each needed key in the settings table, omitting kinds for which `member` returns
 * `undefined`.
 */
function membersOf(
  member: (kind: SettingKind) => z.ZodType | undefined,
  has: (key: string) => boolean,
): z.ZodRawShape {
  return Object.fromEntries(
    settingRows().flatMap(([key, { kind, about, file }]) => {
      const schema = file === undefined || !has(key) ? undefined : member(kind);
      return schema === undefined ? [] : [[key, z.exactOptional(schema.describe(about))] as const];
    }),
  );
}

/**
 * Validates a configuration.
 * @throws HitlError BAD_CONFIG listing every invalid key with its line.
 */
export function checkConfig(value: unknown, path: string, lineOf?: (path: DocumentPath) => number): Config {
  const keys = new Set(isJsonObject(value) ? Object.keys(value) : []);
  const parsed = schemaWith(schemaOfKind, (key) => keys.has(key)).safeParse(value);
  const { $schema: _editors, ...said } = parsed.data ?? {};
  if (parsed.success && isConfig(said)) return said;
  const issues = (parsed.error?.issues ?? []).flatMap((issue) => issueTexts(issue, lineOf));
  throw badConfig(path, issues.join('; '), { hint: `valid keys: ${configKeys().join(', ')}` });
}

/** Creates the error for an invalid configuration. */
export function badConfig(
  path: string,
  why: string,
  more: { readonly hint: string; readonly cause?: SyntaxError },
): HitlError {
  return new HitlError('BAD_CONFIG', `invalid configuration \`${path}\`: ${why}`, more);
}

/** Returns the keys that a configuration may contain. */
function configKeys(): readonly string[] {
  return settingRows().flatMap(([key, { file }]) => (file === undefined ? [] : [key]));
}

function issueTexts(issue: z.core.$ZodIssue, lineOf?: (path: DocumentPath) => number): readonly string[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol');
  const at = (where: DocumentPath): string => (lineOf === undefined ? '' : `line ${lineOf(where)}: `);
  if (issue.code !== 'unrecognized_keys')
    return [`${at(path)}${path.length === 0 ? '' : `${path.join('.')}: `}${issue.message}`];
  return issue.keys.map((key) => `${at([...path, key])}${unknownKey(key)}`);
}

/** Explains that a key is not a setting, or that it is only a run flag. Suggests the intended key. */
function unknownKey(key: string): string {
  const flag = settingRows().find(([name]) => name === key)?.[1].flag;
  if (flag !== undefined) return `\`${key}\` cannot be set in a configuration file: use \`${flag}\``;
  const [near] = nearNames(key, configKeys());
  return `unknown key \`${key}\`${near === undefined ? '' : ` (did you mean \`${near}\`?)`}`;
}

/**
 * Returns the schema of a value in a file. Numbers and durations may also be strings, which are parsed like
 * flags.
 */
export function schemaOfKind(kind: SettingKind): z.ZodType {
  const error = expectedOf(kind);
  switch (kind.type) {
    case 'text':
      return z.string({ error });
    case 'url':
      return z
        .string({ error })
        .regex(/^https?:\/\/\S+$/, { error })
        .refine((text) => URL.canParse(text), { error });
    case 'switch':
      return z.boolean({ error });
    case 'choice':
      return z.enum(kind.of, { error });
    case 'texts':
      return z.array(z.string({ error }), { error });
    case 'names':
      return z.record(z.string(), z.string({ error }), { error });
    case 'objects':
      return z.record(z.string(), z.looseObject({}), { error });
    case 'reviewer':
      return reviewerSchema(error);
    case 'hooks':
      return z.strictObject({ onError: z.exactOptional(z.enum(['ask', 'deny'], { error })) }, { error });
    case 'rules':
    case 'profiles': // made where the schema of a whole configuration is
      return z.unknown();
    case 'whole':
      return number(kind, z.int({ error }).min(kind.min, { error }).max(kind.max, { error }));
    case 'dollars':
    case 'duration':
      return number(kind, z.number({ error }).positive({ error }));
    default:
      return assertNever(kind);
  }
}

function reviewerSchema(error: string): z.ZodType {
  const mayAllow = z.enum(MAY_ALLOW, { error: `\`mayAllow\` must be one of ${MAY_ALLOW.join(', ')}` });
  const word = z.string({ error }).min(1, { error });
  return z.union(
    [
      z.literal(false),
      z.strictObject({
        model: word,
        policy: z.exactOptional(word),
        mayAllow: z.exactOptional(mayAllow),
      }),
      z.strictObject({ command: z.array(word, { error }).min(1), mayAllow: z.exactOptional(mayAllow) }),
    ],
    { error },
  );
}

/** Returns the schema of a number. A string is also allowed, and is parsed like a flag. */
function number(kind: SettingKind, asNumber: z.ZodType<number>): z.ZodType {
  return z.union([asNumber, z.string()], { error: expectedOf(kind) }).transform((given, context) => {
    const read = readValue(kind, String(given));
    const twoReadings = kind.type === 'duration' ? ambiguousDuration(String(given)) : undefined;
    const refused = read.ok ? twoReadings : read.expected;
    if (read.ok && refused === undefined) return read.value;
    context.issues.push({ code: 'custom', input: given, ...(refused !== undefined && { message: refused }) });
    return z.NEVER;
  });
}
