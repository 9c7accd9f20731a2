import type { output, ZodType } from 'zod';

import type {
  Actor,
  AnswersEntry,
  ErrorDocument,
  Interrupt,
  JsonValue,
  Message,
  Part,
  Resolution,
  ResultDocument,
  SessionEvent,
  StoredEvent,
  StreamEvent,
  ToolOutcome,
  TranscriptDocument,
  TranscriptMessage,
  TransientEvent,
  Usage,
} from '../../src/core/index.js';
import type * as schemas from '../../src/core/told/schemas.js';

/** A type with every member present and read-only, so that a member that only one side knows is seen. */
type Whole<T> = JsonValue extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [Key in keyof T]-?: Whole<T[Key]> };

type Within<Left, Right> = [Left] extends [Right] ? true : false;

/** Whether a schema's output and a written type are the same: each fits the other, with and without optional members. */
type Agrees<Schema extends ZodType, Written> = readonly [
  Within<output<Schema>, Written>,
  Within<Whole<output<Schema>>, Whole<Written>>,
  Within<Whole<Written>, Whole<output<Schema>>>,
];

type Same = readonly [true, true, true];

const agreed = [true, true, true] as const;

/** Does not compile where a schema and its written type differ. */
export const agreements: readonly Same[] = [
  agreed satisfies Agrees<typeof schemas.partSchema, Part>,
  agreed satisfies Agrees<typeof schemas.messageSchema, Message>,
  agreed satisfies Agrees<typeof schemas.usageSchema, Usage>,
  agreed satisfies Agrees<typeof schemas.toolOutcomeSchema, ToolOutcome>,
  agreed satisfies Agrees<typeof schemas.resolutionSchema, Resolution>,
  agreed satisfies Agrees<typeof schemas.actorSchema, Actor>,
  agreed satisfies Agrees<typeof schemas.interruptSchema, Interrupt>,
  agreed satisfies Agrees<typeof schemas.sessionEventSchema, SessionEvent>,
  agreed satisfies Agrees<typeof schemas.transientEventSchema, TransientEvent>,
  agreed satisfies Agrees<typeof schemas.storedEventSchema, StoredEvent>,
  agreed satisfies Agrees<typeof schemas.transcriptMessageSchema, TranscriptMessage>,
  agreed satisfies Agrees<typeof schemas.transcriptDocumentSchema, TranscriptDocument>,
  agreed satisfies Agrees<typeof schemas.resultDocumentSchema, ResultDocument>,
  agreed satisfies Agrees<typeof schemas.errorDocumentSchema, ErrorDocument>,
  agreed satisfies Agrees<typeof schemas.streamEventSchema, StreamEvent>,
  agreed satisfies Agrees<typeof schemas.answersEntrySchema, AnswersEntry>,
];

/** The helper itself tells a member that only one side knows. */
export const differences: readonly Same[] = [
  // @ts-expect-error the schema lacks `b`
  agreed satisfies Agrees<ZodType<{ a: string }>, { a: string; b?: string }>,
  // @ts-expect-error the written type lacks `b`
  agreed satisfies Agrees<ZodType<{ a: string; b?: string }>, { a: string }>,
  // @ts-expect-error `a` is required in the written type
  agreed satisfies Agrees<ZodType<{ a?: string }>, { a: string }>,
];
