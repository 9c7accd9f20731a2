/** Names that mean something else to JavaScript wherever an object is looked into. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** True for a name that nothing may have: no key of a state, no node, no step. */
export function isUnsafeName(name: string): boolean {
  return UNSAFE.has(name);
}

/** True for keys of the state that nobody may write (C-24). */
export function isReservedKey(key: string): boolean {
  return key.startsWith('_') || key.startsWith('graph_') || isUnsafeName(key);
}

/** True for the name of an operation or an event, which stands in keys and paths as what it is. */
export function isOperationName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u.test(name) && !isUnsafeName(name);
}
