import { isJson, isJsonObject, partShape, shapeProblem } from '../core/index.js';
import type { ResumeProblem } from './check-resume.js';

const MEMBERS: ReadonlySet<string> = new Set(['respond', 'restart', 'metadata']);
const FORM = 'a resume is a list of answers, or {"respond":[…],"restart":[…]} with answers or with parts';

/** Everything that is wrong with something that should be a resume, before anybody looks for what it is about. */
export function resumeProblems(resume: unknown): readonly ResumeProblem[] {
  if (Array.isArray(resume)) return listProblems(resume);
  if (!isJsonObject(resume)) return [malformed(FORM)];
  const strange = Object.keys(resume).find((name) => !MEMBERS.has(name));
  if (strange !== undefined) return [malformed(`\`${strange}\` is no member of a resume: ${FORM}`)];
  const { metadata } = resume;
  const isWrong = metadata !== undefined && !isJson(metadata, 'absent');
  return [
    ...itemProblems(resume['respond'], 'respond'),
    ...itemProblems(resume['restart'], 'restart'),
    ...(isWrong ? [malformed('`metadata` must be a JSON value')] : []),
  ];
}

/** A list says by itself which action each answer names; parts of messages do not. */
function listProblems(items: readonly unknown[]): readonly ResumeProblem[] {
  return items.flatMap((item, index) => {
    const wrong = shapeProblem(item);
    return wrong === undefined ? [] : [malformed(`\`resume[${index}]\` is no answer: ${wrong}`)];
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
  if (!isJsonObject(item)) return `\`${place}\` must be an answer, or a part of a message`;
  if (!isAnswer(item)) return partShape(item, place) ?? emptyResponse(item, place);
  const wrong = shapeProblem(item);
  return wrong === undefined ? undefined : `\`${place}\` is no answer: ${wrong}`;
}

/** True for what somebody meant as an answer and not as a part. */
function isAnswer(item: object): boolean {
  return ['id', 'digest', 'resolution'].some((member) => Object.hasOwn(item, member));
}

/** A response of a history may leave its output out; somebody who answers says what it is. */
function emptyResponse(item: { readonly toolResponse?: unknown }, place: string): string | undefined {
  const { toolResponse } = item;
  if (!isJsonObject(toolResponse)) return undefined;
  const { output, content } = toolResponse;
  if (output !== undefined || content !== undefined) return undefined;
  return `\`${place}.toolResponse\` has no \`output\`; \`null\` is one`;
}

function malformed(message: string): ResumeProblem {
  return { kind: 'malformed', interrupt: '', message };
}
