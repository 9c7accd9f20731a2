// Invariants:
// C1 A cookie is signed over who it is for, until when, the hash of the token that it was given for, and the server: its
//    way in, its address and its key. So it dies with the token, with the name, with the key, and is nothing elsewhere.
// C2 It counts until its person signs out, in whichever browser, also after a restart.
// C3 The token of a form belongs to one cookie, or behind a proxy to one subject: a request that another site makes a
//    browser send does not have it.
import {
  canonicalJson,
  hmacSha256,
  isJsonArray,
  isSameText,
  parseStrictJson,
  sha256,
} from '../../core/index.js';

/** Sign-in data for a server. If the data is stored, people stay signed in across restarts. */
export interface SignIns {
  /** Key for signing cookies and forms: 32 unpredictable bytes. */
  readonly key: Uint8Array;
  /** Returns how often a person has signed out. */
  signOuts(name: string): number;
  /** Durably records one more sign-out, which invalidates that person's earlier cookies (C2). */
  signOut(name: string): Promise<void>;
}

/** Keeps sign-in data in memory. A server restart signs everyone out. */
export function signInsInMemory(key: Uint8Array): SignIns {
  const counts = new Map<string, number>();
  const signOuts = (name: string): number => counts.get(name) ?? 0;
  return {
    key,
    signOuts,
    signOut: (name) => {
      counts.set(name, signOuts(name) + 1);
      return Promise.resolve();
    },
  };
}

/** Cookie settings, including the server that the cookies are valid for. */
export interface CookieOptions {
  readonly signIns: SignIns;
  /** Values that distinguish this server from others. */
  readonly server: readonly string[];
  /** The port, used in the cookie's name. */
  readonly port: number;
  /** Whether the browser uses TLS, either to this server or to its proxy. */
  readonly secure: boolean;
  readonly random: (size: number) => Uint8Array;
}

/** A person who has a token and can therefore get cookies. */
interface Holder {
  readonly name: string;
  readonly token: string;
}

/** Lifetime of a cookie, in milliseconds. */
const COOKIE_MS = 7 * 24 * 3_600_000;

/** Creates and reads the cookies of one server. */
export class Cookies {
  readonly #options: CookieOptions;
  readonly #name: string;

  constructor(options: CookieOptions) {
    this.#options = options;
    this.#name = options.secure ? '__Host-hitl' : `hitl-${options.port}`;
  }

  /** Creates a cookie value for one browser. */
  make(holder: Holder, now: number): string {
    const { signIns, random } = this.#options;
    const nonce = Buffer.from(random(16)).toString('base64url');
    const content = [holder.name, now + COOKIE_MS, signIns.signOuts(holder.name), nonce];
    const text = Buffer.from(JSON.stringify(content)).toString('base64url');
    return `${text}.${this.#seal(text, holder)}`;
  }

  /**
   * Returns the person that the cookie in a request belongs to, and the value of the cookie. `undefined` if
   * it does not belong to any of these people (C1, C2).
   */
  holderOf<Someone extends Holder>(
    header: string | null,
    people: readonly Someone[],
    now: number,
  ): { readonly holder: Someone; readonly value: string } | undefined {
    for (const pair of (header ?? '').split(/;\s*/u)) {
      const at = pair.indexOf('=');
      const value = pair.slice(at + 1);
      const holder = pair.slice(0, at) === this.#name ? this.#read(value, people, now) : undefined;
      if (holder !== undefined) return { holder, value };
    }
    return undefined;
  }

  #read<Someone extends Holder>(value: string, people: readonly Someone[], now: number): Someone | undefined {
    const [text = '', signature = ''] = value.split('.');
    const read = parseStrictJson(Buffer.from(text, 'base64url').toString());
    const [name, until, signOuts] = read.ok && isJsonArray(read.value) ? read.value : [];
    const holder = people.find((one) => one.name === name);
    if (holder === undefined || !isSameText(signature, this.#seal(text, holder))) return undefined;
    const isOver = typeof until !== 'number' || until <= now;
    return isOver || signOuts !== this.#options.signIns.signOuts(holder.name) ? undefined : holder;
  }

  /** Returns the header that sets a cookie; an empty value deletes it. */
  header(value: string): string {
    const { secure } = this.#options;
    const age = value === '' ? '; Max-Age=0' : '';
    return `${this.#name}=${value}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}${age}`;
  }

  /** Returns the form token for a browser or, behind a proxy, for a person (C3). */
  formToken(of: { readonly cookie: string } | { readonly issuer: string; readonly subject: string }): string {
    return this.#sign('cookie' in of ? ['form', of.cookie] : ['form', of.issuer, of.subject]);
  }

  #seal(text: string, { token }: Holder): string {
    return this.#sign(['cookie', text, sha256(token)]);
  }

  #sign(parts: readonly string[]): string {
    const { signIns, server } = this.#options;
    return hmacSha256(signIns.key, canonicalJson([...server, ...parts]));
  }
}
