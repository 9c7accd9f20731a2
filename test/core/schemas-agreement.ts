import type * as z from 'zod';

import type { TranscriptDocument as SavedTranscript } from '../../sessions/index.js';
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
import type * as schemas from '../../src/core/schemas.js';

/** A type with every member present and read-only, so that a member that only one side knows is seen. */
type Whole<T> = JsonValue extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : { readonly [Key in keyof T]-?: Whole<T[Key]> };

type Within<Left, Right> = [Left] extends [Right] ? true : false;

/** Whether a schema's output and a written type are the same: each fits the other, with and without optional members. */
type Agrees<Schema extends z.ZodType, Written> = [
  Within<z.output<Schema>, Written>,
  Within<Whole<z.output<Schema>>, Whole<Written>>,
  Within<Whole<Written>, Whole<z.output<Schema>>>,
];

type Same = readonly [true, true, true];

function agree<_Result extends Same>(): void {
  // The type argument is the test.
}

/** Does not compile where a schema and its written type differ. */
export function schemasAgree(): void {
  agree<Agrees<typeof schemas.partSchema, Part>>();
  agree<Agrees<typeof schemas.messageSchema, Message>>();
  agree<Agrees<typeof schemas.usageSchema, Usage>>();
  agree<Agrees<typeof schemas.toolOutcomeSchema, ToolOutcome>>();
  agree<Agrees<typeof schemas.resolutionSchema, Resolution>>();
  agree<Agrees<typeof schemas.actorSchema, Actor>>();
  agree<Agrees<typeof schemas.interruptSchema, Interrupt>>();
  agree<Agrees<typeof schemas.sessionEventSchema, SessionEvent>>();
  agree<Agrees<typeof schemas.transientEventSchema, TransientEvent>>();
  agree<Agrees<typeof schemas.storedEventSchema, StoredEvent>>();
  agree<Agrees<typeof schemas.transcriptMessageSchema, TranscriptMessage>>();
  agree<Agrees<typeof schemas.transcriptDocumentSchema, TranscriptDocument>>();
  agree<Agrees<typeof schemas.transcriptDocumentSchema, SavedTranscript>>();
  agree<Agrees<typeof schemas.resultDocumentSchema, ResultDocument>>();
  agree<Agrees<typeof schemas.errorDocumentSchema, ErrorDocument>>();
  agree<Agrees<typeof schemas.streamEventSchema, StreamEvent>>();
  agree<Agrees<typeof schemas.answersEntrySchema, AnswersEntry>>();
}

/** The helper itself tells a member that only one side knows from agreement. */
export function differencesAreSeen(): void {
  type Missing = Agrees<z.ZodType<{ a: string }>, { a: string; b?: string }>;
  type Extra = Agrees<z.ZodType<{ a: string; b?: string }>, { a: string }>;
  type Loose = Agrees<z.ZodType<{ a?: string }>, { a: string }>;
  // @ts-expect-error the schema lacks `b`
  agree<Missing>();
  // @ts-expect-error the written type lacks `b`
  agree<Extra>();
  // @ts-expect-error `a` is required in the written type
  agree<Loose>();
}
