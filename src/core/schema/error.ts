import * as z from 'zod';

import type { ErrorRecord } from '../error-record.js';
import { jsonValueSchema } from './json.js';

/** An error as the journal and every document has it. */
export const errorSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    hint: z.string().exactOptional(),
    thrown: z
      .object({
        name: z.string(),
        code: z.union([z.string(), z.number()]).exactOptional(),
        details: jsonValueSchema.exactOptional(),
      })
      .exactOptional()
      .meta({ description: 'The rest of what code threw, where that was an error of its own' }),
  })
  .meta({ id: 'Error' }) satisfies z.ZodType<ErrorRecord>;
