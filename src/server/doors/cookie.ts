// Invariants:
// C1 A cookie says who it is and until when, and counts only with the signature of this server.
// C2 The token of a form belongs to one cookie: what another site makes a browser send does not have it.
import { hmacSha256, isJsonArray, isSameText, parseStrictJson } from '../../core/index.js';

/** The content of a cookie. */
export interface CookieContent {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** The settings of cookies: where they are sent, and with which key they are signed. */
export interface CookieOptions {
  readonly secret: Uint8Array;
  /** The port, as cookies are not kept apart by it. */
  readonly port: number;
  /** The browser speaks TLS with us, or with the proxy in front. */
  readonly secure: boolean;
  readonly random: (size: number) => Uint8Array;
}

/** Makes and reads the cookies of one server. */
export class Cookies {
  readonly #options: CookieOptions;
  readonly #name: string;

  constructor(options: CookieOptions) {
    this.#options = options;
    this.#name = options.secure ? '__Host-hitl' : `hitl-${options.port}`;
  }

  /** A new value, for one browser. */
  make({ name, until }: CookieContent): string {
    const nonce = Buffer.from(this.#options.random(16)).toString('base64url');
    const content = Buffer.from(JSON.stringify([name, until, nonce])).toString('base64url');
    return `${content}.${this.#sign(`cookie ${content}`)}`;
  }

  /** The value that a request carries; `undefined` where it has none of ours. (C1) */
  valueOf(header: string | null, now: number): string | undefined {
    const values = (header ?? '').split(/;\s*/u).flatMap((pair) => {
      const at = pair.indexOf('=');
      return pair.slice(0, at) === this.#name ? [pair.slice(at + 1)] : [];
    });
    return values.find((value) => {
      const content = this.read(value);
      return content !== undefined && content.until > now;
    });
  }

  /** The content of a value; `undefined` where this server did not make it. */
  read(value: string): CookieContent | undefined {
    const [content = '', signature = ''] = value.split('.');
    if (!isSameText(signature, this.#sign(`cookie ${content}`))) return undefined;
    const read = parseStrictJson(Buffer.from(content, 'base64url').toString());
    const [name, until] = read.ok && isJsonArray(read.value) ? read.value : [];
    return typeof name === 'string' && typeof until === 'number' ? { name, until } : undefined;
  }

  /** The header that gives a value to a browser; an empty one takes it away. */
  header(value: string): string {
    const { secure } = this.#options;
    const age = value === '' ? '; Max-Age=0' : '';
    return `${this.#name}=${value}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}${age}`;
  }

  /** The token of the forms of one browser and one person. (C2) */
  formToken(value: string, name: string): string {
    return this.#sign(`form ${value} ${name}`);
  }

  #sign(text: string): string {
    return hmacSha256(this.#options.secret, text);
  }
}
