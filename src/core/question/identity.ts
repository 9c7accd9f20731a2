import type { Subject } from '../data/interrupt.js';
import type { Actor, PersonVia } from '../data/resolution.js';

// Invariants:
// P1 A name is proved or it is not a name: each door hands in what proved it, and gets an identity or a refusal.
// P2 An identity is a subject of one issuer. Nothing says that two issuers do not vouch for the same person twice.
// P3 Subjects of one issuer are compared by what `subjectKey` makes of them, so that a spelling is not a second person.

/** Evidence of a person's identity. */
export type Proof =
  /** A user ID reported by the local kernel, in the first user namespace. */
  | {
      readonly type: 'local';
      readonly host: string;
      readonly uid: number;
      /** Name of the user with this ID; absent if the machine does not have one. */
      readonly name?: string;
      readonly groups: readonly string[];
      /** `other`: another user namespace, in which any user can have any user ID. */
      readonly namespace: 'first' | 'other';
    }
  /** A token from a token file. The issuer identifies the server and its store. */
  | {
      readonly type: 'token';
      readonly issuer: string;
      readonly name: string;
      readonly groups?: readonly string[];
    }
  /** Headers set by an authenticating proxy. */
  | {
      readonly type: 'proxy';
      /** The sign-in service whose subjects the proxy passes on: `https://login.example.org`. */
      readonly issuer: string;
      readonly subject: string;
      /** A name or email address for display. It does not identify the person. */
      readonly name?: string;
      readonly groups?: readonly string[];
      /**
       * Whether the sign-in service treats `Ann` and `ann` as the same subject. If so, subjects are stored in
       * lower case.
       */
      readonly foldsCase?: boolean;
    }
  /** A signed click. */
  | {
      readonly type: 'slack';
      readonly team: string;
      readonly user: string;
      /** The user's name in hitl's configuration. Names from Slack itself do not identify people. */
      readonly name?: string;
      readonly groups?: readonly string[];
    }
  | { readonly type: 'none'; readonly why: string };

/** A person's proven identity. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** The name for display; not escaped. */
  readonly name: string;
  readonly groups: readonly string[];
}

/** An identity, or a one-line reason that there is none; not escaped. */
export type Identified =
  | { readonly ok: true; readonly identity: Identity }
  | { readonly ok: false; readonly why: string };

/** A person in the form used by the journal. */
export type Person = Actor & { readonly type: 'person' };

/** Maximum length of a subject or name, in characters. */
const MOST_CHARACTERS = 200;

/** Returns the identity that a proof establishes, or the reason it does not establish one (P1). */
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
    return refused(`this process runs in another user namespace, where anyone can have user ID ${uid}`);
  if (name === undefined) return refused(`user ID ${uid} has no name on this machine`);
  return identityOf({ issuer: `${LOCAL}:${host}`, subject: String(uid), name, groups });
}

/** Whether a Linux `uid_map` belongs to the first user namespace, where each user ID maps to itself. */
export function isFirstNamespace(uidMap: string): boolean {
  return /^ *0 +0 +4294967295\n$/u.test(uidMap);
}

/** The kind of issuer for a machine's kernel. */
const LOCAL = 'local';

/** Kinds of issuers, with the prefix of the issuer names of each kind. */
const ISSUER_KINDS: Readonly<Record<string, string>> = {
  local: `${LOCAL}:`,
  tokens: 'hitl serve',
  slack: 'slack:',
};

/** Whether a word is a kind of issuer. */
export function isIssuerKind(word: string): boolean {
  return Object.hasOwn(ISSUER_KINDS, word);
}

/** Whether an entry in a list of issuers, which is a kind or a full name, matches an issuer. */
export function meansIssuer(entry: string, issuer: string): boolean {
  const start = isIssuerKind(entry) ? ISSUER_KINDS[entry] : undefined;
  return start === undefined ? entry === issuer : issuer.startsWith(start);
}

/** Whether the issuer is a machine's kernel. */
export function isLocalIssuer(issuer: string): boolean {
  return meansIssuer(LOCAL, issuer);
}

/** Matches reserved issuer names. A proxy or token file with such a name could impersonate these issuers. */
const OWN_ISSUERS = /^(?:local|slack|library)(?::|$)/u;

function ofIssuer(claimed: Claimed): Identified {
  const { issuer } = claimed;
  if (issuer.trim() === '' || OWN_ISSUERS.test(issuer))
    return refused(`\`${issuer}\` is not a valid issuer name`);
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

/** Normalizes and trims a name, so that names that look the same have the same spelling. */
export function plainName(name: string): string {
  return name.normalize('NFKC').trim();
}

/** Returns the reason that a name is invalid, or `undefined` if it is valid. */
export function nameProblem(name: string): string | undefined {
  if (name === '') return 'the name is empty';
  if (name.length > MOST_CHARACTERS) return `the name has more than ${MOST_CHARACTERS} characters`;
  // Controls, direction marks and other characters that nobody sees; half a character.
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(name)) return 'the name contains invisible characters';
  return folded(name) === 'unknown' ? '`unknown` is not a valid name' : undefined;
}

function folded(name: string): string {
  return plainName(name).toLowerCase();
}

/**
 * Returns a subject in the form used to count people (P3). Ignores case for every issuer: at worst, two
 * people are counted as one. To match names, `isNamed` uses the issuer's own spelling.
 */
function subjectKey(subject: string): string {
  return folded(subject);
}

/**
 * Returns the person that the journal records for an identity. No other code converts an identity to a
 * person.
 */
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
  /** Whether they made the request through an API, as programs do. */
  readonly byApi?: true;
}

/** The issuer for programs that use the library, which vouch for the names that they pass. */
const LIBRARY = 'library';

/** Returns the subject under which a person's votes are counted. */
export function voterOf({ name, via, id }: Person): Subject {
  if (id !== undefined) return { issuer: id.issuer, subject: id.subject, name };
  return { issuer: via === LIBRARY ? LIBRARY : '', subject: name, name };
}

/**
 * Whether two subjects may be the same person: they have the same subject at one issuer, or the same name at
 * two issuers (P2).
 */
export function maybeSame(one: Subject, other: Subject): boolean {
  if (one.issuer === other.issuer) return subjectKey(one.subject) === subjectKey(other.subject);
  const names = calledNames(other).map(subjectKey);
  return calledNames(one).some((name) => names.includes(subjectKey(name)));
}

/**
 * Returns the names by which a list can refer to a person: the name of a local user or Slack user, and the
 * subject of anyone else. The display name from a sign-in service is not used, because users choose it
 * themselves.
 */
function calledNames({ issuer, subject, name }: Subject): readonly string[] {
  return isLocalIssuer(issuer) || meansIssuer('slack', issuer) ? [name] : [subject];
}

/** Whether an entry in a list of people, which is a name or `issuer/subject`, refers to a person. */
export function isNamed(entry: string, person: Subject): boolean {
  const name = plainName(entry);
  if (name === `${person.issuer}/${person.subject}`) return true;
  return !name.includes('/') && calledNames(person).includes(name);
}
