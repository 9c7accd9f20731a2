// Invariants:
// D1 A host that is not listed gets nothing: a name that somebody bends to this address leads nowhere.
// D2 Who comes is known by a token, by a cookie that a token was given for, or by the proxy; never by two of them.
// D3 Cookies are given and read at the server's own host alone: ports do not keep the cookies of a host apart.
// D4 A page of another site may lead here by a link, and fetches nothing.
import type { Clock } from '../../core/index.js';
import { identify, isSameText, plainName, sha256 } from '../../core/index.js';
import type { Cookies } from './cookie.js';
import { isFetched, isForeign } from './origin.js';
import type { Incoming } from './proxy.js';
import { namedByProxy } from './proxy.js';
import type { Access, ProxyAccess, Role, TokenHolder, Visitor } from './visitor.js';
import { LEAST, OWNER } from './visitor.js';

/** Options for `Doors`. */
export interface DoorsOptions {
  readonly access: Access;
  /** Host and port at which people use the server, in lower case. */
  readonly home: string;
  /** Other hosts at which programs may call the server. */
  readonly hosts: readonly string[];
  readonly cookies: Cookies;
  readonly clock: Clock;
}

/** A refused request, with the reason. */
export interface Refused {
  readonly type: 'refused';
  readonly status: 401 | 403 | 421;
  readonly why: string;
  /** Whether invalid credentials were presented. Such requests are logged. */
  readonly isTried: boolean;
}

/** The result of authentication. */
export type Admitted = { readonly type: 'visitor'; readonly visitor: Visitor } | Refused;

/** The issuer of names in a token file. */
const TOKEN_ISSUER = 'hitl serve';

/** A person or program with a token, and their roles. */
type Holder = Pick<TokenHolder, 'name' | 'token' | 'groups'> & { readonly roles: readonly Role[] };

/** Decides which requests to admit. */
export class Doors {
  readonly #options: DoorsOptions;
  readonly #holders: readonly Holder[];

  constructor(options: DoorsOptions) {
    this.#options = options;
    this.#holders = holdersOf(options.access);
  }

  /** Whether the request uses one of the server's hosts (D1). */
  isOurs({ headers }: Request): boolean {
    const host = hostOf(headers);
    return host === this.#options.home || this.#options.hosts.includes(host);
  }

  /** Whether the request uses the host that cookies belong to (D3). */
  isHome({ headers }: Request): boolean {
    return hostOf(headers) === this.#options.home;
  }

  /** Authenticates a request. Returns the visitor, or the reason that the request is refused. */
  admit(request: Request, from: Omit<Incoming, 'headers'>): Admitted {
    const { access } = this.#options;
    const { headers } = request;
    const admitted =
      access.type === 'proxy' ? this.#byProxy({ headers, ...from }, access) : this.#byToken(request);
    const isForm = admitted.type === 'visitor' && admitted.visitor.formToken !== undefined;
    if (isForm && isForeign(headers) && isFetched(request)) return refused(403, 'sent by another site', true); // D4
    return admitted;
  }

  /** Exchanges a token for a cookie; `undefined` if the token is unknown. */
  signIn(token: string): { readonly name: string; readonly cookie: string } | undefined {
    const { cookies, clock } = this.#options;
    const holder = this.#holderOf(token);
    return holder && { name: holder.name, cookie: cookies.header(cookies.make(holder, clock.now())) };
  }

  /** Returns the header that makes a browser delete its cookie. */
  signedOut(): string {
    return this.#options.cookies.header('');
  }

  #byToken(request: Request): Admitted {
    const { cookies, clock } = this.#options;
    const { headers } = request;
    const authorization = headers.get('authorization');
    if (authorization !== null) {
      const holder = this.#holderOf(/^Bearer (\S+)$/iu.exec(authorization)?.[1] ?? '');
      return holder === undefined ? refused(401, 'unknown token', true) : this.#visitorFor(holder);
    }
    const given = headers.get('cookie');
    const holder = () => cookies.holderOf(given, this.#holders, clock.now());
    const found = this.isHome(request) ? holder() : undefined; // D3
    if (found === undefined) return refused(401, 'not signed in', false);
    const formToken = cookies.formToken({ cookie: found.value });
    return this.#visitorFor(found.holder, { formToken, isOver: () => holder() === undefined });
  }

  #byProxy(incoming: Incoming, access: ProxyAccess): Admitted {
    const named = namedByProxy(incoming, access);
    if (!named.ok) return refused(named.status, named.why, true);
    const { identity, roles } = named;
    const formToken = this.#options.cookies.formToken(identity);
    return { type: 'visitor', visitor: { name: identity.name, identity, roles, formToken } };
  }

  /**
   * Finds the holder of a token. Digests are compared, so that the time taken reveals nothing about a token
   * or its length.
   */
  #holderOf(token: string): Holder | undefined {
    const given = sha256(token);
    const found = this.#holders.filter((holder) => isSameText(sha256(holder.token), given));
    return found[0];
  }

  #visitorFor(
    { name, roles, groups = [] }: Holder,
    browser?: Pick<Visitor, 'formToken' | 'isOver'>,
  ): Admitted {
    const { access } = this.#options;
    if (access.type === 'link') {
      const { identity } = access;
      return { type: 'visitor', visitor: { name, roles, ...(identity && { identity }), ...browser } };
    }
    const identified = identify({ type: 'token', issuer: TOKEN_ISSUER, name, groups });
    if (!identified.ok) return refused(403, identified.why, true);
    const { identity } = identified;
    return { type: 'visitor', visitor: { name: identity.name, identity, roles, ...browser } };
  }
}

function holdersOf(access: Access): readonly Holder[] {
  switch (access.type) {
    case 'link':
      return [{ name: access.name, token: access.token, roles: OWNER }];
    case 'tokens':
      return access.people.map((person) => ({
        ...person,
        name: plainName(person.name),
        roles: person.roles ?? LEAST,
      }));
    case 'proxy':
      return [];
  }
}

function hostOf(headers: Headers): string {
  return headers.get('host')?.toLowerCase() ?? '';
}

function refused(status: 401 | 403, why: string, isTried: boolean): Admitted {
  return { type: 'refused', status, why, isTried };
}
