import { isJsonObject, ownOf } from '../json/index.js';
import type { Shape } from './shape.js';
import { json, jsonObject, listOf, membersProblem, name, optional, text } from './shape.js';

/** The members of each kind of source. */
const SOURCES: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  tool: { ref: name, name: text, input: json },
  node: { nodeId: text },
  run: {},
};

function sourceShape(value: unknown, place: string): string | undefined {
  if (!isJsonObject(value)) return `\`${place}\` must be an object`;
  const { type } = value;
  const members = typeof type === 'string' ? ownOf(SOURCES, type) : undefined;
  if (members === undefined) return `\`${place}.type\` must be one of ${Object.keys(SOURCES).join(', ')}`;
  return membersProblem(value, members, place);
}

/** Says what is wrong with something that should be an interrupt and is to be answered; `undefined` where it can be. */
export function interruptShapeProblem(value: unknown): string | undefined {
  if (!isJsonObject(value)) return 'an interrupt is an object with id, digest, allowed and source';
  return membersProblem(value, {
    id: name,
    digest: text,
    kind: text,
    allowed: listOf(text, 'actions'),
    source: sourceShape,
    answerSchema: optional(jsonObject),
    inputSchema: optional(jsonObject),
    resumeSchema: optional(jsonObject),
    edit: optional(text),
    approvers: optional(jsonObject),
  });
}
