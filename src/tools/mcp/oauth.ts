// Invariants:
// O1 Nobody logs in, and no client is registered, but by the command for it: a run only uses and renews what is kept.
// O2 A login belongs to the address that it was made for, and goes to no other.
// O3 What is secret of a login is masked in all that comes back from its server.
import type {
  AuthProvider,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { HitlError } from '../../core/index.js';
import { loadSdk } from './wire/index.js';
import type { McpAddress } from './wire/index.js';

/** A login at a server: the client that it knows us as, and the keys that it gave. */
export interface Login {
  /** The address at which a browser comes back. */
  readonly redirect: string;
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
}

/** The place where logins are kept, by the addresses of their servers. */
export interface Logins {
  read(address: string): Promise<Login | undefined>;
  write(address: string, login: Login): Promise<void>;
}

/** The surroundings of a login. */
export interface LoginOptions {
  /** Sends a person to an address of the server that they log in at. */
  readonly visit: (address: URL) => void;
  readonly save: (login: Login) => Promise<void>;
  /** A text that nobody can guess, which has to come back with the person. */
  readonly state?: string;
}

/** One login, as the SDK's flow works with it. */
export class LoginProvider implements OAuthClientProvider {
  readonly #options: LoginOptions;
  #login: Login;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;

  constructor(login: Login, options: LoginOptions) {
    this.#login = login;
    this.#options = options;
  }

  get redirectUrl(): string {
    return this.#login.redirect;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'hitl',
      redirect_uris: [this.#login.redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
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

  /** Keys that the server knows no more are kept no longer; another client is made by a login only (O1). */
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

  /** The server that the person was sent to is the one that the code is brought to. */
  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  async #save(login: Login): Promise<void> {
    this.#login = login;
    await this.#options.save(login);
  }
}

/** The login that a connection uses: its key goes with each request, and is renewed where the server says that it is over. */
export class UsedLogin implements AuthProvider {
  readonly #server: McpAddress;
  readonly #logins: Logins;
  #used: StoredOAuthTokens | undefined;

  constructor(server: McpAddress, logins: Logins) {
    this.#server = server;
    this.#logins = logins;
  }

  /** The parts of it that nobody may see (O3). */
  get secrets(): readonly string[] {
    const { access_token = '', refresh_token = '' } = this.#used ?? {};
    return [access_token, refresh_token].filter((secret) => secret !== '');
  }

  async token(): Promise<string | undefined> {
    this.#used = (await this.#logins.read(this.#server.url))?.tokens;
    return this.#used?.access_token;
  }

  async onUnauthorized({
    serverUrl,
    fetchFn,
  }: Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0]): Promise<void> {
    const { url } = this.#server;
    const login = await this.#logins.read(url);
    if (login?.tokens?.refresh_token === undefined) throw this.#wanted(); // O1
    if (login.tokens.access_token !== this.#used?.access_token) return; // another process has renewed it
    const provider = new LoginProvider(login, {
      visit: () => {
        throw this.#wanted(); // O1
      },
      save: (renewed) => this.#logins.write(url, renewed),
    });
    const { auth, OAuthError } = await loadSdk();
    await auth(provider, { serverUrl, fetchFn }).catch((thrown: unknown) => {
      throw thrown instanceof OAuthError ? this.#wanted() : thrown; // it is renewed no more
    });
  }

  #wanted(): HitlError {
    const { name, from, url } = this.#server;
    const named = from === '--mcp' ? url : name;
    return new HitlError(
      'TOOL_FAILED',
      `the server \`${name}\` wants you to log in: hitl mcp login ${named}`,
    );
  }
}
