import * as z from 'zod';
import { approversSchema } from '../src/core/told/schemas.js';
import { schemaOf, schemaOfKind } from '../commands/config/config-schema.js';

const ruleOfPeople = z
  .strictObject({
    ask: z.string().describe('The calls that it is about, as a rule says them'),
    ...approversSchema.shape,
    approvalLasts: z.string().exactOptional().describe('How long an approval counts: 15m, 2h'),
  })
  .describe('A rule that asks, and says whose word such a call takes, and how long that counts');

/** The configuration as an editor may check it: with rules that can be read, and the address of the schema. */
export function publishedConfigSchema(): z.ZodType {
  const texts = z.array(z.string()).exactOptional();
  const asking = z.array(z.union([z.string(), ruleOfPeople])).exactOptional();
  const lists = { allow: texts, ask: asking, deny: texts };
  const rules = z.strictObject({
    ...lists,
    folders: z.record(z.string(), z.strictObject(lists)).exactOptional(),
  });
  return schemaOf((kind) => (kind.type === 'rules' ? rules : schemaOfKind(kind)));
}
