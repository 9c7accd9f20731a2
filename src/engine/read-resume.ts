import type {
  Actor,
  Answer,
  Interrupt,
  JsonValue,
  Resolution,
  RunState,
  TranscriptPart,
} from '../core/index.js';
import {
  describeInterrupt,
  isJson,
  isJsonObject,
  jsonEquals,
  openInterrupts,
  partShape,
  readContent,
  shapeProblem,
} from '../core/index.js';
import type { ResumeProblem } from './check-resume.js';

/**
 * Answers from a stateless caller. They were created by functions that validate them, or are in Genkit's
 * format.
 */
export interface ResumeOptions {
  readonly respond?: ResumeItem | readonly ResumeItem[];
  readonly restart?: ResumeItem | readonly ResumeItem[];
  /** `metadata.resumed` of the tool message. Default: `true`. */
  readonly metadata?: JsonValue;
}

/** An answer that specifies its action, or a message part. */
export type ResumeItem = Answer | TranscriptPart;

/**
 * Value of `resume`: a list of answers that specify their actions, or Genkit's form with `respond`, `restart`
 * and `metadata`.
 */
export type Resume = readonly Answer[] | ResumeOptions;

/** Default actor for an answer from a library caller. */
export const CALLER: Actor = { type: 'person', name: 'caller', via: 'library' };

/** The valid answers, and the problems with the others. */
export interface ReadAnswers {
  readonly answers: readonly Answer[];
  readonly problems: readonly ResumeProblem[];
}

/**
 * Reads the items of a resume, which come from a caller or a browser and may have any form. Message parts are
 * matched to open calls by name and ref.
 */
export function readResume(resume: Resume, state: RunState): ReadAnswers {
  const malformed = resumeProblems(resume);
  if (malformed.length > 0) return { answers: [], problems: malformed };
  if (isAnswers(resume)) return { answers: resume, problems: [] };
  const answers: Answer[] = [];
  const problems: ResumeProblem[] = [];
  const open = openInterrupts(state);
  for (const [option, items] of [
    ['respond', resume.respond],
    ['restart', resume.restart],
  ] as const) {
    for (const item of listOf(items)) {
      const read = 'resolution' in item ? item : readPart(option, item, open, state);
      if ('kind' in read) problems.push(read);
      else answers.push(read);
    }
  }
  return { answers, problems };
}

/** Whether a resume is a list of answers. */
function isAnswers(resume: Resume): resume is readonly Answer[] {
  return Array.isArray(resume);
}

/** Returns the metadata for the tool message; `undefined` for a list of answers. */
export function resumedMark(resume: Resume | undefined): JsonValue | undefined {
  return resume === undefined || isAnswers(resume) ? undefined : resume.metadata;
}

function listOf(items: ResumeItem | readonly ResumeItem[] | undefined): readonly ResumeItem[] {
  if (items === undefined) return [];
  return isList(items) ? items : [items];
}

function isList(items: ResumeItem | readonly ResumeItem[]): items is readonly ResumeItem[] {
  return Array.isArray(items);
}

function readPart(
  option: 'respond' | 'restart',
  part: TranscriptPart,
  open: readonly Interrupt[],
  state: RunState,
): Answer | ResumeProblem {
  const aimed = option === 'respond' ? part.toolResponse : part.toolRequest;
  if (aimed === undefined) {
    const wants = option === 'respond' ? 'toolResponse' : 'toolRequest';
    return { kind: 'unknown', interrupt: '', message: `an item in \`${option}\` has no \`${wants}\`` };
  }
  const interrupt = matching(open, aimed.name, aimed.ref);
  if (interrupt === undefined) return unmatched(aimed.name, aimed.ref, state);
  const { id, digest } = interrupt;
  return option === 'respond'
    ? { id, digest, by: CALLER, resolution: readRespond(part) }
    : readRestart(part, interrupt, state);
}

/** Reads a response part without changing it. The answer is marked as a reply only if the part is. */
function readRespond({ toolResponse, metadata = {} }: TranscriptPart): Resolution {
  const { output = null, content } = toolResponse ?? {};
  const { interruptResponse, ...own } = metadata;
  const rest = {
    ...(content !== undefined && { content: readContent(content, 'respond') }),
    ...(Object.keys(own).length > 0 && { metadata: own }),
  };
  const isMarked = interruptResponse !== undefined;
  return {
    action: 'respond',
    output,
    ...(isMarked && { metadata: interruptResponse }),
    ...((!isMarked || Object.keys(rest).length > 0) && { verbatim: rest }),
  };
}

function matching(open: readonly Interrupt[], name: string, ref: string | undefined): Interrupt | undefined {
  const named = open.filter(({ source }) => source.type === 'tool' && source.name === name);
  if (hasRef(ref)) return named.find(({ source }) => source.type === 'tool' && source.ref === ref);
  // Without a ref a part is only unambiguous where one call of that tool waits.
  return named.length === 1 ? named[0] : undefined;
}

/** Whether a ref is present. Genkit's providers omit refs or send empty ones. */
function hasRef(ref: string | undefined): ref is string {
  return ref !== undefined && ref !== '';
}

function unmatched(name: string, ref: string | undefined, state: RunState): ResumeProblem {
  const label = `\`${name}${hasRef(ref) ? `#${ref}` : ''}\``;
  const call = state.open?.calls.find(({ request }) => request.name === name && request.ref === ref);
  if (call !== undefined) return { kind: 'stale', interrupt: '', message: `${label} already has its result` };
  const other = state.open?.calls.find(({ request }) => hasRef(ref) && request.ref === ref);
  if (other !== undefined) {
    const message = `unknown call ${label}: the call with this ref is for \`${other.request.name}\``;
    return { kind: 'unknown', interrupt: '', message };
  }
  if (hasRef(ref) && state.refs.has(ref)) {
    const message = `${label} is no longer pending: it belongs to an earlier turn`;
    return { kind: 'stale', interrupt: '', message };
  }
  const open = openInterrupts(state);
  const named = open.filter(({ source }) => source.type === 'tool' && source.name === name);
  const why =
    named.length > 1
      ? `${label} has ${named.length} open calls; specify the \`ref\``
      : `no open call ${label}`;
  const message = `${why}; unresolved: ${open.map(describeInterrupt).join(', ')}`;
  return { kind: 'unknown', interrupt: '', message };
}

/**
 * Reads a restart part. An edit must be explicit: if the input is different and `replacedInput` is missing,
 * the part is rejected as forged.
 */
function readRestart(part: TranscriptPart, interrupt: Interrupt, state: RunState): Answer | ResumeProblem {
  const { id, digest, source } = interrupt;
  const { input = {} } = part.toolRequest ?? {};
  const { resumed, replacedInput } = part.metadata ?? {};
  const call = state.open?.calls.find(({ request }) => source.type === 'tool' && request.ref === source.ref);
  const isEdited = call !== undefined && !jsonEquals(input, call.input);
  const isSaid = isEdited && replacedInput !== undefined && jsonEquals(replacedInput, call.input);
  if (isEdited && !isSaid) {
    const message = `the input of ${describeInterrupt(interrupt)} differs from the pending input; mark an edit with \`replacedInput\``;
    return { kind: 'changed', interrupt: id, message };
  }
  const changes = { ...(isEdited && { input }), ...(resumed !== undefined && { metadata: resumed }) };
  return { id, digest, by: CALLER, resolution: { action: 'restart', ...changes } };
}

const MEMBERS: ReadonlySet<string> = new Set(['respond', 'restart', 'metadata']);
const FORM =
  '`resume` must be a list of answers, or {"respond":[…],"restart":[…]} with answers or message parts';

/** Returns all problems with the form of a resume. */
export function resumeProblems(resume: unknown): readonly ResumeProblem[] {
  if (Array.isArray(resume)) return listProblems(resume);
  if (!isJsonObject(resume)) return [malformed(FORM)];
  const strange = Object.keys(resume).find((name) => !MEMBERS.has(name));
  if (strange !== undefined) return [malformed(`unknown property \`${strange}\` of \`resume\`: ${FORM}`)];
  const { metadata } = resume;
  const isWrong = metadata !== undefined && !isJson(metadata, 'absent');
  return [
    ...itemProblems(resume['respond'], 'respond'),
    ...itemProblems(resume['restart'], 'restart'),
    ...(isWrong ? [malformed('`metadata` must be a JSON value')] : []),
  ];
}

/** Returns the problems with a list of answers. Unlike message parts, each answer specifies its action. */
function listProblems(items: readonly unknown[]): readonly ResumeProblem[] {
  return items.flatMap((item, index) => {
    const wrong = shapeProblem(item);
    return wrong === undefined ? [] : [malformed(`invalid answer \`resume[${index}]\`: ${wrong}`)];
  });
}

function itemProblems(items: unknown, option: string): readonly ResumeProblem[] {
  if (items === undefined) return [];
  const problems = Array.isArray(items)
    ? items.map((item, index) => itemProblem(item, `${option}[${index}]`))
    : [itemProblem(items, option)];
  return problems.flatMap((problem) => (problem === undefined ? [] : [malformed(problem)]));
}

function itemProblem(item: unknown, place: string): string | undefined {
  if (!isJsonObject(item)) return `\`${place}\` must be an answer or a message part`;
  if (!isAnswer(item)) return partShape(item, place) ?? emptyResponse(item, place);
  const wrong = shapeProblem(item);
  return wrong === undefined ? undefined : `\`${place}\` is no answer: ${wrong}`;
}

/** Whether an item appears to be an answer rather than a message part. */
function isAnswer(item: object): boolean {
  return ['id', 'digest', 'resolution'].some((member) => Object.hasOwn(item, member));
}

/**
 * Returns an error message if a response has no output; otherwise `undefined`. In a history, the output may
 * be omitted, but an answer must have one.
 */
function emptyResponse(item: { readonly toolResponse?: unknown }, place: string): string | undefined {
  const { toolResponse } = item;
  if (!isJsonObject(toolResponse)) return undefined;
  const { output, content } = toolResponse;
  if (output !== undefined || content !== undefined) return undefined;
  return `\`${place}.toolResponse\` has no \`output\`, which may be \`null\``;
}

function malformed(message: string): ResumeProblem {
  return { kind: 'malformed', interrupt: '', message };
}
