import type { Interrupt } from '../interrupt.js';
import type { JsonObject } from '../json/json.js';
import { membersOf } from '../json/json.js';
import { unescapeText } from '../text/index.js';

/** An operation of a workflow's code that a person decides about. Its texts are from outside, and not escaped. */
export interface AskedOperation {
  /** `hosts/a/install#1` */
  readonly key: string;
  /** `install a 7`, `install#2`: the name, and what it is about. */
  readonly name: string;
  /** `deploy@1/hosts/a`: the workflow and the branch in which it is. */
  readonly path: string;
}

/**
 * Finds the operation that a doubt, a gate or a failure is about; `undefined` for everything else: a question has words
 * of its own.
 */
export function operationAsked({ kind, source, payload, path }: Asking): AskedOperation | undefined {
  if (source.type !== 'node' || !(kind === 'in-doubt' || kind === 'gate' || kind === 'error'))
    return undefined;
  const members = membersOf(payload);
  const key = source.operation ?? textIn(members, kind === 'error' ? 'operation' : 'step');
  if (key === undefined) return undefined;
  const level = key.lastIndexOf('/');
  const about = textIn(members, 'of') ?? textIn(members, 'input');
  const own = key.slice(level + 1).replace(/#1$/u, '');
  const branch = level === -1 ? [] : [key.slice(0, level)];
  return {
    key,
    name: about === undefined ? own : `${own} ${unescapeText(about)}`,
    path: [...(path === '' ? [] : [path]), `${source.nodeId}@${source.visit}`, ...branch].join('/'),
  };
}

type Asking = Pick<Interrupt, 'kind' | 'source' | 'payload' | 'path'>;

function textIn(members: JsonObject, key: string): string | undefined {
  const value = members[key];
  return typeof value === 'string' ? value : undefined;
}
