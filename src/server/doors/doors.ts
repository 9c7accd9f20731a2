// Invariants:
// D1 A host that is not listed gets nothing: a name that somebody bends to this address leads nowhere.
// D2 Who comes is known by a token, by a cookie that a token was given for, or by a trusted proxy; never by two of them.
// D3 What changes something comes from a page of this server, or from a program with a token; a page of another site
//    may lead here, and fetches nothing.
import { isSameText, sha256 } from '../../core/index.js';
import type { Clock } from '../../core/index.js';
import type { Cookies } from './cookie.js';
import { isFetched, isForeign, isUnsafe, plainAddress } from './origin.js';
import type { Access, Person, Visitor } from './visitor.js';

/** The surroundings of the doors. */
export interface DoorsOptions {
  readonly access: Access;
  /** The hosts by which the server is called, with their ports, in small letters. */
  readonly hosts: readonly string[];
  readonly cookies: Cookies;
  readonly clock: Clock;
}

/** The outcome at the doors; `cookie` is a header to send along. */
export type Admitted =
  | { readonly type: 'visitor'; readonly visitor: Visitor; readonly cookie?: string }
  | { readonly type: 'refused'; readonly status: 401 | 403 | 421; readonly why: string };

/** The time that a cookie counts, in milliseconds. */
const COOKIE_MS = 7 * 24 * 3_600_000;

/** Decides who comes in. */
export class Doors {
  readonly #options: DoorsOptions;

  constructor(options: DoorsOptions) {
    this.#options = options;
  }

  /** True where the server is called by a name of its own (D1). */
  isOurs({ headers }: Request): boolean {
    return this.#options.hosts.includes(headers.get('host')?.toLowerCase() ?? '');
  }

  /** Lets somebody in, or says why not. */
  admit(request: Request, address: string): Admitted {
    const { access } = this.#options;
    if (!this.isOurs(request)) return refused(421, 'this server is not known by that name');
    const admitted =
      access.type === 'proxy' ? this.#byProxy(request, address, access) : this.#byToken(request);
    const isForm = admitted.type === 'visitor' && admitted.visitor.formToken !== undefined;
    if (isForm && isForeign(request.headers) && (isUnsafe(request) || isFetched(request)))
      return refused(403, 'another site sent this'); // D3
    return admitted;
  }

  /** Gives a cookie for a token; `undefined` for one that is nobody's. */
  signIn(token: string): string | undefined {
    const { cookies } = this.#options;
    const person = this.#personOf(token);
    return person && cookies.header(this.#newCookie(person.name));
  }

  /** Forgets a browser. */
  signOut(): string {
    return this.#options.cookies.header('');
  }

  #newCookie(name: string): string {
    const { cookies, clock } = this.#options;
    return cookies.make({ name, until: clock.now() + COOKIE_MS });
  }

  #byToken({ headers }: Request): Admitted {
    const { cookies, clock } = this.#options;
    const authorization = headers.get('authorization');
    if (authorization !== null) {
      const person = this.#personOf(/^Bearer (\S+)$/iu.exec(authorization)?.[1] ?? '');
      return person === undefined
        ? refused(401, 'the token is nobody’s')
        : { type: 'visitor', visitor: this.#visitorFor(person) };
    }
    const value = cookies.valueOf(headers.get('cookie'), clock.now());
    const person = this.#people.find(({ name }) => name === (value && cookies.read(value)?.name));
    if (value === undefined || person === undefined) return refused(401, 'nobody has signed in here');
    const formToken = cookies.formToken(value, person.name);
    return { type: 'visitor', visitor: { ...this.#visitorFor(person), formToken } };
  }

  #byProxy({ headers }: Request, address: string, { trusted, issuer }: Access & { type: 'proxy' }): Admitted {
    const { cookies, clock } = this.#options;
    if (!trusted.map(plainAddress).includes(plainAddress(address)))
      return refused(403, 'only the proxy may call this server');
    if (headers.has('authorization')) return refused(403, 'a token does not count behind a proxy'); // D2
    const name = headers.get('x-auth-request-user') ?? headers.get('x-forwarded-user') ?? '';
    if (name.trim() === '') return refused(401, 'the proxy names nobody');
    const groups = headers.get('x-auth-request-groups') ?? headers.get('x-forwarded-groups') ?? '';
    const known = cookies.valueOf(headers.get('cookie'), clock.now());
    const value = known !== undefined && cookies.read(known)?.name === name ? known : this.#newCookie(name);
    const visitor: Visitor = {
      name: headers.get('x-auth-request-email') ?? headers.get('x-forwarded-email') ?? name,
      id: { issuer, subject: name },
      groups: groups.split(',').flatMap((group) => (group.trim() === '' ? [] : [group.trim()])),
      formToken: cookies.formToken(value, name),
    };
    return { type: 'visitor', visitor, ...(value !== known && { cookie: cookies.header(value) }) };
  }

  get #people(): readonly Person[] {
    const { access } = this.#options;
    switch (access.type) {
      case 'link':
        return [access];
      case 'tokens':
        return access.people;
      case 'proxy':
        return [];
    }
  }

  /** Compares digests, so that the time says nothing of a token, nor of how long it is. */
  #personOf(token: string): Person | undefined {
    const given = sha256(token);
    const found = this.#people.filter((person) => isSameText(sha256(person.token), given));
    return found[0];
  }

  #visitorFor({ name, groups = [] }: Person): Visitor {
    const isNamed = this.#options.access.type === 'tokens';
    return { name, groups, ...(isNamed && { id: { issuer: 'hitl serve', subject: name } }) };
  }
}

function refused(status: 401 | 403 | 421, why: string): Admitted {
  return { type: 'refused', status, why };
}
