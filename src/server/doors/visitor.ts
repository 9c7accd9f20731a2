import type { Identity, Person } from '../../core/index.js';
import { HitlError, personOf } from '../../core/index.js';

// Invariants:
// R1 Somebody may do what one of their roles says, and nothing else. A name without roles has `answer`.
// R2 `ask` is for programs: it answers nothing, whatever else stands beside it.

/** The available roles. `Sight` decides which sessions and questions are visible. */
const ROLES = ['answer', 'read', 'say', 'begin', 'ask', 'measure'] as const;

/**
 * A role: `answer` answers questions addressed to its holder, `read` sees every session, `say` sends
 * messages, `begin` starts sessions, `ask` is for a program that starts sessions and sends messages but never
 * answers, and `measure` only reads `/metrics`.
 */
export type Role = (typeof ROLES)[number];

/** Default roles of a person for whom no roles are listed (R1). */
export const LEAST: readonly Role[] = ['answer'];

/** Roles of the user who started the server and has the link to it. */
export const OWNER: readonly Role[] = ['answer', 'read', 'say', 'begin', 'measure'];

/** A person or program that was admitted. */
export interface Visitor {
  readonly name: string;
  /** Verified identity. May be absent for the user who has the link. */
  readonly identity?: Identity;
  readonly roles: readonly Role[];
  /**
   * Token for the visitor's forms. Absent for a program, because a browser cannot be tricked into sending a
   * program's requests.
   */
  readonly formToken?: string;
  /** Whether the visitor has signed out or the sign-in has expired. The visitor's streams then end. */
  readonly isOver?: () => boolean;
}

/** Whether a visitor's roles allow an action (R1, R2). */
export function may({ roles }: Pick<Visitor, 'roles'>, role: Role): boolean {
  if (!roles.includes('ask')) return roles.includes(role);
  return role !== 'answer' && (role === 'say' || role === 'begin' || roles.includes(role));
}

/** Returns the requester or approver for the journal, using only verified facts. */
export function actorOf({ name, identity }: Visitor, via: Person['via']): Person {
  return identity === undefined ? { type: 'person', name, via } : personOf(identity, via);
}

/**
 * Parses a list of roles, for example `answer,read`.
 * @throws HitlError BAD_CONFIG
 */
export function readRoles(text: string, where: string): readonly Role[] {
  const roles = text.split(',').map((name) => {
    const role = ROLES.find((one) => one === name);
    if (role !== undefined) return role;
    throw new HitlError('BAD_CONFIG', `unknown role "${name}" ${where}`, {
      hint: `roles: ${ROLES.join(', ')}`,
    });
  });
  if (!roles.includes('ask') || !roles.includes('answer')) return roles;
  throw new HitlError('BAD_CONFIG', `the roles ask and answer cannot be used together ${where}`, {
    hint: 'programs ask and people answer; give each its own token',
  });
}

/** A person or program with a token. */
export interface TokenHolder {
  readonly name: string;
  readonly token: string;
  readonly groups?: readonly string[];
  /** Default: `answer`. */
  readonly roles?: readonly Role[];
}

/**
 * The family of headers in which a proxy identifies people: `x-auth-request-user` or `x-forwarded-user`, and
 * the related headers.
 */
export type HeaderFamily = 'x-auth-request' | 'x-forwarded';

/** A proxy that signs people in. */
export interface ProxyAccess {
  readonly type: 'proxy';
  /** The only accepted header family. A request with headers of the other family is refused. */
  readonly headers: HeaderFamily;
  /**
   * How the proxy proves its identity: with the value of `x-hitl-proxy-secret`, or through the Unix socket of
   * `listen({ path })`.
   */
  readonly proof: { readonly type: 'secret'; readonly secret: string } | { readonly type: 'socket' };
  /** IP addresses from which the secret is accepted. Default: any. */
  readonly trusted?: readonly string[];
  /** Name of the issuer, for example `https://login.example.org`. */
  readonly issuer: string;
  /** Roles by group. People without a listed group have `answer`. */
  readonly roles?: ReadonlyMap<string, readonly Role[]>;
}

/** How people sign in: with one link for the user who started the server, with tokens, or through a proxy. */
export type Access =
  | {
      readonly type: 'link';
      readonly token: string;
      readonly name: string;
      /**
       * The user who started the server, as verified by the kernel. If absent, votes by that user are not
       * accepted.
       */
      readonly identity?: Identity;
    }
  | { readonly type: 'tokens'; readonly people: readonly TokenHolder[] }
  | ProxyAccess;
