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
