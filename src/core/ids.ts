declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** Names one session; matches `^[a-z0-9][a-z0-9_-]{0,63}$` (G32). */
export type SessionId = Branded<'SessionId'>;
/** Names one tool request; unique within a session. */
export type ToolRef = Branded<'ToolRef'>;
/** Names one interrupt; unique within a session. */
export type InterruptId = Branded<'InterruptId'>;
/** Where an event happened: `''` is the chat itself, `review@2/legal@1` a node of a graph. */
export type NodePath = Branded<'NodePath'>;

const SESSION_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** True where text may name a session. */
export function isSessionId(text: string): text is SessionId {
  return SESSION_ID.test(text);
}

/** Brands text as a tool reference. */
export function toolRef(text: string): ToolRef {
  return text as ToolRef;
}

/** Brands text as the id of an interrupt. */
export function interruptId(text: string): InterruptId {
  return text as InterruptId;
}

/** Brands text as the path of a node. */
export function nodePath(text: string): NodePath {
  return text as NodePath;
}

/** The path of the chat itself. */
export const ROOT_PATH: NodePath = nodePath('');
