// The one entry of core that loads zod: for edges where data of others comes in, and for the published JSON Schemas.
export { answerSchema, messagesSchema, resumeSchema } from './schema/answer.js';
export {
  servedToolSchema,
  sessionEventSchema,
  storedEventSchema,
  transientEventSchema,
} from './schema/event.js';
export { approversSchema, interruptSchema } from './schema/interrupt.js';
export { jsonObjectSchema, jsonValueSchema } from './schema/json.js';
export {
  messageSchema,
  partSchema,
  replyEndSchema,
  toolOutcomeSchema,
  usageSchema,
} from './schema/message.js';
export {
  answerMatchSchema,
  answersEntrySchema,
  errorDocumentSchema,
  resultDocumentSchema,
  streamEventSchema,
  wireEventSchema,
} from './schema/output.js';
export { actorSchema, resolutionSchema } from './schema/resolution.js';
export {
  transcriptDocumentSchema,
  transcriptMessageSchema,
  transcriptPartSchema,
} from './schema/transcript.js';
