// Invariants:
// O1 Nobody logs in, and no client is registered, but by the command for it: a run only uses and renews what is kept.
// O2 A login belongs to the address that it was made for, and goes to no other.
// O4 A run renews a key where the login was made, as it was found out then. What a server says of logins since changes
//    nothing here: it is told that a login is wanted.
// O3 What is secret of a login is masked in all that comes back from its server.
import type {
  AuthProvider,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { HitlError, isHitlError } from '../../core/index.js';
import type { Fetch } from '../../outgoing/guarded-fetch.js';
import { guardedFetch } from '../../outgoing/guarded-fetch.js';
import { loadSdk } from './wire/mcp-sdk.js';
import type { McpAddress } from './wire/mcp-server.js';

/** A login to a server: the registration of hitl as a client, and the tokens. */
export interface Login {
  /** Redirect URL for the browser. */
  readonly redirect: string;
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  /** The authorization server that was found at login. Runs do not contact any other authorization server. */
  readonly discovered?: OAuthDiscoveryState;
}

/** Stored logins, by server URL. */
export interface Logins {
  read(address: string): Promise<Login | undefined>;
  write(address: string, login: Login): Promise<void>;
}

/** Options for a login. */
export interface LoginOptions {
  /** Opens the server's login page for the user. */
  readonly visit: (address: URL) => void;
  readonly save: (login: Login) => Promise<void>;
  /** Random value that the browser must return with the redirect. */
  readonly state?: string;
}

/** Provides the data of one login to the SDK's OAuth flow, and saves the results. */
export class LoginProvider implements OAuthClientProvider {
  readonly #options: LoginOptions;
  #login: Login;
  #verifier = '';

  constructor(login: Login, options: LoginOptions) {
    this.#login = login;
    this.#options = options;
  }

  get redirectUrl(): string {
    return this.#login.redirect;
  }

  get clientMetadata(): OAuthClientMetadata {
    return metadataOf(this.#login.redirect);
  }

  state(): string {
    return this.#options.state ?? '';
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#login.client;
  }

  async saveClientInformation(client: StoredOAuthClientInformation): Promise<void> {
    await this.#save({ ...this.#login, client });
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#login.tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    await this.#save({ ...this.#login, tokens });
  }

  /**
   * Removes the tokens that the server rejected. The client registration is kept, because only a login may
   * register a new client (O1).
   */
  async invalidateCredentials(scope: string): Promise<void> {
    const { tokens: _gone, ...rest } = this.#login;
    if (scope === 'all' || scope === 'tokens') await this.#save(rest);
  }

  redirectToAuthorization(address: URL): void {
    this.#options.visit(address);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  /**
   * Saves the authorization server, so that the authorization code goes to the server that the user was sent
   * to.
   */
  async saveDiscoveryState(discovered: OAuthDiscoveryState): Promise<void> {
    await this.#save({ ...this.#login, discovered });
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#login.discovered;
  }

  async #save(login: Login): Promise<void> {
    this.#login = login;
    await this.#options.save(login);
  }
}

function metadataOf(redirect: string): OAuthClientMetadata {
  return {
    client_name: 'hitl',
    redirect_uris: [redirect],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/** Time limit for each request of a login, in milliseconds. */
const REQUEST_MS = 20_000;

/**
 * Creates the `fetch` function for a login. It does not follow redirects, has a time limit, and connects to
 * private networks only if they belong to the server's own host or are listed in `allow`.
 */
export function loginFetch({ url, allow = [] }: McpAddress): Fetch {
  const send = guardedFetch({ allow, named: new URL(url).hostname });
  return async (address, init) => {
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(new Error(`no answer within ${REQUEST_MS / 1_000} s`));
    }, REQUEST_MS);
    try {
      const response = await send(address, { ...init, signal: late.signal });
      const body = await response.arrayBuffer();
      const { status, headers } = response;
      return new Response(status === 204 ? null : body, { status, headers });
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * Adds the access token of a login to each request of a connection, and renews the token when the server
 * reports that it has expired.
 */
export class UsedLogin implements AuthProvider {
  readonly #server: McpAddress;
  readonly #logins: Logins;
  #used: StoredOAuthTokens | undefined;

  constructor(server: McpAddress, logins: Logins) {
    this.#server = server;
    this.#logins = logins;
  }

  /** The secrets of the login (O3). */
  get secrets(): readonly string[] {
    const { access_token = '', refresh_token = '' } = this.#used ?? {};
    return [access_token, refresh_token].filter((secret) => secret !== '');
  }

  async token(): Promise<string | undefined> {
    this.#used = (await this.#logins.read(this.#server.url))?.tokens;
    return this.#used?.access_token;
  }

  async onUnauthorized(): Promise<void> {
    const { url } = this.#server;
    const login = await this.#logins.read(url);
    const tokens = login?.tokens;
    if (login === undefined || tokens?.refresh_token === undefined) throw this.#wanted(); // O1
    if (tokens.access_token !== this.#used?.access_token) return; // another process has renewed it
    const renewed = await this.#renewed(login);
    await this.#logins.write(url, { ...login, tokens: renewed });
  }

  /** Renews expired tokens, but only with the authorization server of the login (O4). */
  async #renewed({ redirect, client, tokens, discovered }: Login): Promise<StoredOAuthTokens> {
    const renewsAt = discovered?.authorizationServerMetadata?.token_endpoint;
    if (client === undefined || discovered === undefined || renewsAt === undefined) throw this.#wanted();
    const server = this.#server;
    const { auth } = await loadSdk();
    const send = loginFetch(server);
    let renewed: StoredOAuthTokens | undefined;
    const visit = (): never => {
      throw this.#wanted(); // O1
    };
    const provider: OAuthClientProvider = {
      redirectUrl: redirect,
      clientMetadata: metadataOf(redirect),
      clientInformation: () => client,
      tokens: () => tokens,
      saveTokens: (given) => {
        renewed = given;
      },
      discoveryState: () => discovered,
      redirectToAuthorization: visit,
      saveCodeVerifier: visit,
      codeVerifier: visit,
    };
    const fetchFn = (address: string | URL, init?: RequestInit): Promise<Response> =>
      String(address) === renewsAt ? send(address, init) : Promise.reject(this.#wanted());
    const ended = await auth(provider, { serverUrl: server.url, fetchFn }).catch((thrown: unknown) => {
      throw isHitlError(thrown) ? thrown : this.#wanted(); // it is renewed no more
    });
    if (ended !== 'AUTHORIZED' || renewed === undefined) throw this.#wanted();
    return renewed;
  }

  #wanted(): HitlError {
    const { name, from, url } = this.#server;
    const named = from === '--mcp' ? url : name;
    return new HitlError('TOOL_FAILED', `server \`${name}\` requires a login: hitl mcp login ${named}`);
  }
}
