import * as z from 'zod';

import type { JsonValue } from '../data/json.js';
import type { Answer, Resolution } from '../data/resolution.js';
import type { TranscriptMessage, TranscriptPart } from './transcript.js';
import { interruptIdSchema, jsonValueSchema } from './json-schema.js';
import { actorSchema, resolutionSchema } from './resolution-schema.js';
import { transcriptMessageSchema, transcriptPartSchema } from './transcript-schema.js';

/** Schema of an answer to an interrupt, as sent by a web handler or another program. */
export const answerSchema: z.ZodType<Answer> = z
  .object({
    id: interruptIdSchema.refine((id) => id !== '', { message: 'not an interrupt id' }),
    digest: z.string().meta({ description: 'Digest of the interrupt as shown' }),
    resolution: resolutionSchema.refine(saysNoPlan, {
      message: '`shown` is set by hitl, not by the answer',
    }),
    by: actorSchema.refine(({ type }) => type !== 'clock' && type !== 'reviewer', {
      message: '`clock` and `reviewer` can only decide inside the session',
    }),
  })
  .meta({ id: 'Answer', description: 'A resolution of one interrupt' });

/** Whether a resolution leaves out `shown`, which hitl sets for an edit when the answer is stored. */
function saysNoPlan(resolution: Resolution): boolean {
  if (resolution.action === 'sequence') return resolution.actions.every(saysNoPlan);
  return resolution.action !== 'restart' || resolution.shown === undefined;
}

/** Schema of the messages that `generate` accepts. */
export const messagesSchema: z.ZodType<readonly TranscriptMessage[]> = z.array(transcriptMessageSchema);

const partOfAnswer = transcriptPartSchema.refine(
  ({ toolResponse }) =>
    toolResponse?.output !== undefined || toolResponse?.content !== undefined || toolResponse === undefined,
  { message: 'a response must have an output, which may be `null`' },
);
const itemSchema = z.union([answerSchema, partOfAnswer]);
const itemsSchema = z.union([z.array(itemSchema), itemSchema]);

type Item = Answer | TranscriptPart;
type Items = Item | readonly Item[];

/** Schema of the `resume` option of `generate`. Unknown properties are errors. */
export const resumeSchema: z.ZodType<
  | readonly Answer[]
  | {
      readonly respond?: Items;
      readonly restart?: Items;
      readonly metadata?: JsonValue;
    }
> = z.union([
  z.array(answerSchema),
  z.strictObject({
    respond: itemsSchema.exactOptional(),
    restart: itemsSchema.exactOptional(),
    metadata: jsonValueSchema.exactOptional(),
  }),
]);
