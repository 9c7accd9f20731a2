import type { Actor, Answer, Interrupt, JsonValue, RunState, TranscriptPart } from '../core/index.js';
import { jsonEquals, openInterrupts } from '../core/index.js';
import type { ResumeProblem } from './check-resume.js';

/** How a stateless caller answers: with answers made by the checked builders, or with parts in Genkit's shape. */
export interface ResumeOptions {
  readonly respond?: ResumeItem | readonly ResumeItem[];
  readonly restart?: ResumeItem | readonly ResumeItem[];
  /** Put on the tool message as `metadata.resumed`. Default `true`. */
  readonly metadata?: JsonValue;
}

export type ResumeItem = Answer | TranscriptPart;

const CALLER: Actor = { type: 'person', name: 'caller', via: 'library' };

/** Answers, with what could not be read as one. */
export interface ReadAnswers {
  readonly answers: readonly Answer[];
  readonly problems: readonly ResumeProblem[];
}

/** Reads the items of a resume; parts are matched to open calls by name and ref. */
export function readResume(resume: ResumeOptions, state: RunState): ReadAnswers {
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
    return { kind: 'unknown', interrupt: '', message: `an item of \`${option}\` has no \`${wants}\`` };
  }
  const interrupt = matching(open, aimed.name, aimed.ref);
  if (interrupt === undefined) return unmatched(aimed.name, aimed.ref, state);
  const { id, digest } = interrupt;
  if (part.toolResponse !== undefined && option === 'respond') {
    const metadata = part.metadata?.['interruptResponse'];
    const mark = metadata === undefined ? {} : { metadata };
    return {
      id,
      digest,
      by: CALLER,
      resolution: { action: 'respond', output: part.toolResponse.output ?? null, ...mark },
    };
  }
  return readRestart(part, interrupt);
}

function matching(open: readonly Interrupt[], name: string, ref: string | undefined): Interrupt | undefined {
  const named = open.filter(({ source }) => source.type === 'tool' && source.name === name);
  if (ref !== undefined) return named.find(({ source }) => source.type === 'tool' && source.ref === ref);
  // Without a ref a part is only unambiguous where one call of that tool waits.
  return named.length === 1 ? named[0] : undefined;
}

function unmatched(name: string, ref: string | undefined, state: RunState): ResumeProblem {
  const label = `\`${name}${ref === undefined ? '' : `#${ref}`}\``;
  const call = state.open?.calls.find(({ request }) => request.name === name && request.ref === ref);
  if (call !== undefined) return { kind: 'stale', interrupt: '', message: `${label} has its result already` };
  const earlier = ref !== undefined && state.refs.has(ref);
  const message = earlier
    ? `${label} is no longer pending: it belongs to an earlier turn`
    : `no open call ${label}; unresolved: ${openInterrupts(state).map(label_).join(', ')}`;
  return { kind: earlier ? 'stale' : 'unknown', interrupt: '', message };
}

function label_({ source, id }: Interrupt): string {
  return source.type === 'tool' ? `\`${source.name}#${source.ref}\`` : `\`${id}\``;
}

/** An edit must say that it is one: an input that differs without `replacedInput` is refused as a forged call. */
function readRestart(part: TranscriptPart, interrupt: Interrupt): Answer | ResumeProblem {
  const { id, digest, source } = interrupt;
  const shown = source.type === 'tool' ? source.input : null;
  const input = part.toolRequest?.input ?? {};
  const resumed = part.metadata?.['resumed'];
  const edited = part.metadata !== undefined && Object.hasOwn(part.metadata, 'replacedInput');
  if (!edited && !jsonEquals(input, shown)) {
    const message = `the input of ${label_(interrupt)} differs from the one that waits; mark an edit with \`replacedInput\``;
    return { kind: 'changed', interrupt: id, message };
  }
  const changes = { ...(edited && { input }), ...(resumed !== undefined && { metadata: resumed }) };
  return { id, digest, by: CALLER, resolution: { action: 'restart', ...changes } };
}
