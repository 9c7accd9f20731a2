import type { Subject } from '../data/interrupt.js';
import type { Actor, PersonVia } from '../data/resolution.js';

// Invariants:
// P1 A name is proved or it is not a name: each door hands in what proved it, and gets an identity or a refusal.
// P2 An identity is a subject of one issuer. Nothing says that two issuers do not vouch for the same person twice.
// P3 Subjects of one issuer are compared by what `subjectKey` makes of them, so that a spelling is not a second person.

/** How an identity was proven. */
export type Proof =
  /** The local kernel: a user ID in the first user namespace. */
  | {
      readonly type: 'local';
      readonly host: string;
      readonly uid: number;
      /** Name of this user ID; absent if the machine has none. */
      readonly name?: string;
      readonly groups: readonly string[];
      /** `other`: inside another user namespace any user can have any user ID. */
      readonly namespace: 'first' | 'other';
    }
  /** A token of a token file. The issuer names the server and its store. */
  | {
      readonly type: 'token';
      readonly issuer: string;
      readonly name: string;
      readonly groups?: readonly string[];
    }
  /** Headers of one authenticated proxy. */
  | {
      readonly type: 'proxy';
      /** The sign-in whose subjects the proxy passes on: `https://login.example.org`. */
      readonly issuer: string;
      readonly subject: string;
      /** The name or mail address for screens. For display only: it identifies nobody. */
      readonly name?: string;
      readonly groups?: readonly string[];
      /** The sign-in treats `Ann` and `ann` alike: subjects are stored in lower case. */
      readonly foldsCase?: boolean;
    }
  /** A signed click. */
  | {
      readonly type: 'slack';
      readonly team: string;
      readonly user: string;
      /** The user's name in our configuration; Slack's own names are not people's names. */
      readonly name?: string;
      readonly groups?: readonly string[];
    }
  | { readonly type: 'none'; readonly why: string };

/** A person whose name is proved. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** The name for screens; not escaped. */
  readonly name: string;
  readonly groups: readonly string[];
}

/** An identity, or the reason why there is none, in one line; not escaped. */
export type Identified =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly why: string };

/** A person, in the journal's form. */
export type Person = Actor & { readonly type: 'person' };

/** The longest subject or name, in characters. */
const MOST_CHARACTERS = 200;

/** Returns the identity that a proof proves, or why it proves none (P1). */
export function identify(proof: Proof): Identified {
  switch (proof.type) {
    case 'local':
      return localIdentity(proof);
    case 'token':
      return ofIssuer({ ...proof, subject: proof.name });
    case 'proxy':
      return ofIssuer(proof.foldsCase === true ? { ...proof, subject: folded(proof.subject) } : proof);
    case 'slack':
      return proof.name === undefined
        ? refused(`no name is configured for the Slack user ${proof.user} of team ${proof.team}`)
        : identityOf({ ...proof, issuer: `slack:${proof.team}`, subject: proof.user });
    case 'none':
      return refused(proof.why);
  }
}

function localIdentity({ host, uid, name, groups, namespace }: Proof & { type: 'local' }): Identified {
  if (namespace === 'other')
    return refused(`this process runs in another user namespace, where anybody can have user ID ${uid}`);
  if (name === undefined) return refused(`user ID ${uid} has no name on this machine`);
  return identityOf({ issuer: `${LOCAL}:${host}`, subject: String(uid), name, groups });
}

/** Whether a Linux `uid_map` is the first user namespace's: each user ID maps to itself. */
export function isFirstNamespace(uidMap: string): boolean {
  return /^ *0 +0 +4294967295\n$/u.test(uidMap);
}

/** The kind of issuer that is the kernel of a machine. */
const LOCAL = 'local';

/** Kinds of issuers, with their name prefixes. */
const ISSUER_KINDS: Readonly<Record<string, string>> = {
  local: `${LOCAL}:`,
  tokens: 'hitl serve',
  slack: 'slack:',
};

/** Whether a word is a kind of issuer. */
export function isIssuerKind(word: string): boolean {
  return Object.hasOwn(ISSUER_KINDS, word);
}

/** Whether a list entry, a kind or an issuer, matches an issuer. */
export function meansIssuer(entry: string, issuer: string): boolean {
  const start = isIssuerKind(entry) ? ISSUER_KINDS[entry] : undefined;
  return start === undefined ? entry === issuer : issuer.startsWith(start);
}

/** Whether the issuer is the kernel of a machine. */
export function isLocalIssuer(issuer: string): boolean {
  return meansIssuer(LOCAL, issuer);
}

/** Reserved issuer names: a proxy or token file with such a name could impersonate them. */
const OWN_ISSUERS = /^(?:local|slack|library)(?::|$)/u;

function ofIssuer(claimed: Claimed): Identified {
  const { issuer } = claimed;
  if (issuer.trim() === '' || OWN_ISSUERS.test(issuer)) return refused(`\`${issuer}\` cannot name a sign-in`);
  return identityOf(claimed);
}

interface Claimed {
  readonly issuer: string;
  readonly subject: string;
  readonly name?: string;
  readonly groups?: readonly string[];
}

function identityOf({ issuer, subject: claimed, name: called = claimed, groups = [] }: Claimed): Identified {
  const [subject, name] = [plainName(claimed), plainName(called)];
  const why = nameProblem(subject) ?? nameProblem(name);
  if (why !== undefined) return refused(why);
  return { ok: true, identity: { issuer, subject, name, groups: namedGroups(groups) } };
}

/** Drops invalid group names; the identity itself stays valid. */
function namedGroups(groups: readonly string[]): readonly string[] {
  const named = groups.map(plainName).filter((group) => nameProblem(group) === undefined);
  return [...new Set(named)];
}

function refused(why: string): Identified {
  return { ok: false, why };
}

/** Normalizes a name: one spelling for what looks equal, trimmed. */
export function plainName(name: string): string {
  return name.normalize('NFKC').trim();
}

/** Explains why a name is invalid; `undefined` if it is valid. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'the name is empty';
  if (name.length > MOST_CHARACTERS) return `the name has more than ${MOST_CHARACTERS} characters`;
  // Controls, direction marks and other characters that nobody sees; half a character.
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return 'the name has characters that cannot be seen';
  return folded(name) === 'unknown' ? '`unknown` is not a name' : undefined;
}

function folded(name: string): string {
  return plainName(name).toLowerCase();
}

/**
 * Returns the subject for counting people (P3). Case is folded for every issuer, because that can only merge
 * two people; for naming, `isNamed` compares the issuer's spelling.
 */
function subjectKey(subject: string): string {
  return folded(subject);
}

/** The person of an identity in the journal. No other code makes a person from an identity. */
export function personOf({ issuer, subject, name, groups }: Identity, via: PersonVia): Person {
  return {
    type: 'person',
    name,
    via,
    id: { issuer, subject },
    ...(groups.length > 0 && { groups }),
  };
}

/** Someone who requested work from a session. */
export interface Requester extends Subject {
  /** Whether they asked through an API, as programs do. */
  readonly byApi?: true;
}

/** The issuer for programs that use the library, which vouch for the names they pass. */
const LIBRARY = 'library';

/** The subject that votes are counted for. */
export function voterOf({ name, via, id }: Person): Subject {
  if (id !== undefined) return { issuer: id.issuer, subject: id.subject, name };
  return { issuer: via === LIBRARY ? LIBRARY : '', subject: name, name };
}

/** Whether two subjects may be one person: the same at one issuer, or the same name at two (P2). */
export function maybeSame(one: Subject, other: Subject): boolean {
  if (one.issuer === other.issuer) return subjectKey(one.subject) === subjectKey(other.subject);
  const names = calledNames(other).map(subjectKey);
  return calledNames(one).some((name) => names.includes(subjectKey(name)));
}

/**
 * Returns the names by which a list can refer to someone: those assigned by hitl or the program, else the
 * subject. A sign-in's display name is user-chosen.
 */
function calledNames({ issuer, subject, name }: Subject): readonly string[] {
  return isLocalIssuer(issuer) || meansIssuer('slack', issuer) ? [name] : [subject];
}

/** Whether a list entry, a name or `issuer/subject`, names the person. */
export function isNamed(entry: string, person: Subject): boolean {
  const name = plainName(entry);
  if (name === `${person.issuer}/${person.subject}`) return true;
  return !name.includes('/') && calledNames(person).includes(name);
}
