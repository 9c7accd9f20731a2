import type { Identity, Person } from '../../core/index.js';
import { HitlError, personOf } from '../../core/index.js';

// Invariants:
// R1 Somebody may do what one of their roles says, and nothing else. A name without roles has `answer`.
// R2 `ask` is for programs: it answers nothing, whatever else stands beside it.

/** Permissions; `Sight` decides which sessions and questions are visible. */
const ROLES = ['answer', 'read', 'say', 'begin', 'ask', 'measure'] as const;

/**
 * A role: `answer` answers addressed questions, `read` sees every session, `say` sends messages, `begin` starts
 * sessions, `ask` is for a program that starts sessions and sends messages but never answers, and `measure` only
 * reads `/metrics`.
 */
export type Role = (typeof ROLES)[number];

/** The roles of a person without listed roles (R1). */
export const LEAST: readonly Role[] = ['answer'];

/** Roles of the user who started the server and has its link. */
export const OWNER: readonly Role[] = ['answer', 'read', 'say', 'begin', 'measure'];

/** Someone who signed in. */
export interface Visitor {
  readonly name: string;
  /** Proven identity; absent for the link's owner without one. */
  readonly identity?: Identity;
  readonly roles: readonly Role[];
  /** The token in their forms; absent for a program, whose request no browser could make. */
  readonly formToken?: string;
  /** Whether their sign-in here has ended, by sign-out or expiry. Ends their streams. */
  readonly isOver?: () => boolean;
}

/** Whether someone's roles allow this (R1, R2). */
export function may({ roles }: Pick<Visitor, 'roles'>, role: Role): boolean {
  if (!roles.includes('ask')) return roles.includes(role);
  return role !== 'answer' && (role === 'say' || role === 'begin' || roles.includes(role));
}

/** Returns the requester or approver for the journal: only what was proven. */
export function actorOf({ name, identity }: Visitor, via: Person['via']): Person {
  return identity === undefined ? { type: 'person', name, via } : personOf(identity, via);
}

/** Parses roles: `answer,read`. @throws HitlError BAD_CONFIG */
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

/** A person or program with its own token. */
export interface TokenHolder {
  readonly name: string;
  readonly token: string;
  readonly groups?: readonly string[];
  /** Default: `answer`. */
  readonly roles?: readonly Role[];
}

/** The headers in which a proxy names people: `x-auth-request-user` or `x-forwarded-user`, and related ones. */
export type HeaderFamily = 'x-auth-request' | 'x-forwarded';

/** A proxy that signs people in. */
export interface ProxyAccess {
  readonly type: 'proxy';
  /** The only accepted family of headers; a request with the other family is refused. */
  readonly headers: HeaderFamily;
  /** What proves the proxy: the value of `x-hitl-proxy-secret`, or the Unix socket of `listen({ path })`. */
  readonly proof: { readonly type: 'secret'; readonly secret: string } | { readonly type: 'socket' };
  /** IP addresses from which the secret is accepted. Default: any. */
  readonly trusted?: readonly string[];
  /** Name of the issuer: `https://login.example.org`. */
  readonly issuer: string;
  /** Roles of groups. Others have `answer`. */
  readonly roles?: ReadonlyMap<string, readonly Role[]>;
}

/** How people sign in: one link for the user who started the server, tokens, or a proxy. */
export type Access =
  | {
      readonly type: 'link';
      readonly token: string;
      readonly name: string;
      /** The user who started the server, as proven by the kernel. Without it, their vote is not accepted. */
      readonly identity?: Identity;
    }
  | { readonly type: 'tokens'; readonly people: readonly TokenHolder[] }
  | ProxyAccess;
