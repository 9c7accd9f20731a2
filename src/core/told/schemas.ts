// The one entry of core that loads zod: for edges where data of others comes in, and for the published JSON Schemas.
export {
  servedToolSchema,
  sessionEventSchema,
  storedEventSchema,
  transientEventSchema,
} from './event-schema.js';
export { approversSchema, interruptSchema } from './interrupt-schema.js';
export { jsonObjectSchema, jsonValueSchema } from './json-schema.js';
export {
  messageSchema,
  partSchema,
  replyEndSchema,
  toolOutcomeSchema,
  usageSchema,
} from './message-schema.js';
export {
  answerMatchSchema,
  answersEntrySchema,
  errorDocumentSchema,
  resultDocumentSchema,
  streamEventSchema,
  wireEventSchema,
} from './output-schema.js';
export { actorSchema, resolutionSchema } from './resolution-schema.js';
export {
  transcriptDocumentSchema,
  transcriptMessageSchema,
  transcriptPartSchema,
} from './transcript-schema.js';
