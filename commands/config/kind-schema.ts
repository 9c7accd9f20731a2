import { assertNever } from '../../src/core/index.js';
import * as z from 'zod';
import type { SettingKind } from '../settings/index.js';
import { expectedOf, readValue } from '../settings/index.js';

/** The schema of a value in a file: numbers and durations may be texts, and are read as a flag is. */
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

/** A number, or the text of one as a flag takes it. */
function number(kind: SettingKind, asNumber: z.ZodType<number>): z.ZodType {
  return z.union([asNumber, z.string()], { error: expectedOf(kind) }).transform((given, context) => {
    const read = readValue(kind, String(given));
    if (read.ok) return read.value;
    context.issues.push({ code: 'custom', message: read.expected, input: given });
    return z.NEVER;
  });
}
