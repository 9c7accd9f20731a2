import { HitlError } from '../../src/core/index.js';
import * as z from 'zod';
import type { Config, SettingKind } from '../settings/index.js';
import { isConfig, settingRows } from '../settings/index.js';
import { schemaOfKind } from './kind-schema.js';

/** What a configuration file may say, made from the table of settings; nothing else is taken. */
const configSchema = schemaOf(schemaOfKind);

/** The configuration as an editor may check it: with rules that can be read, and the address of the schema. */
export function publishedConfigSchema(): z.ZodType {
  const texts = z.array(z.string()).exactOptional();
  const lists = { allow: texts, ask: texts, deny: texts };
  const rules = z.strictObject({
    ...lists,
    folders: z.record(z.string(), z.strictObject(lists)).exactOptional(),
  });
  return schemaOf((kind) => (kind.type === 'rules' ? rules : schemaOfKind(kind)));
}

function schemaOf(member: (kind: SettingKind) => z.ZodType): z.ZodObject {
  const rows = settingRows().filter(([, { file }]) => file !== undefined);
  return z.strictObject({
    $schema: z.string().describe('for editors').exactOptional(),
    ...Object.fromEntries(
      rows.map(([key, { kind, about }]) => [key, z.exactOptional(member(kind).describe(about))] as const),
    ),
  });
}

/**
 * Checks what a configuration says.
 * @throws HitlError BAD_CONFIG naming every key that does not fit.
 */
export function checkConfig(value: unknown, path: string): Config {
  const parsed = configSchema.safeParse(value);
  const { $schema: _editors, ...said } = parsed.data ?? {};
  if (parsed.success && isConfig(said)) return said;
  throw badConfig(path, (parsed.error?.issues ?? []).map(issueText).join('; '));
}

/** The error for a configuration that does not fit. */
export function badConfig(path: string, why: string, cause?: unknown): HitlError {
  const keys = Object.keys(configSchema.shape).filter((key) => key !== '$schema');
  return new HitlError('BAD_CONFIG', `the configuration \`${path}\` does not fit: ${why}`, {
    hint: `its keys are: ${keys.join(', ')}`,
    cause,
  });
}

function issueText({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}
