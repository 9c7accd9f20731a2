import { checkClear, HitlError, sendingTo } from '../../core/index.js';

/** Settings for a server with an Anthropic-compatible Messages API. */
export interface ServerOptions {
  /** API key. Required for Anthropic's own server. Other servers receive `none` if there is no key. */
  readonly apiKey?: string;
  /** URL of a server with an Anthropic-compatible Messages API. Default: Anthropic's own server. */
  readonly baseUrl?: string;
  /**
   * Whether the key and the conversation may be sent to another machine without encryption. Default: false.
   */
  readonly allowHttp?: boolean;
}

/** A usable server. */
export interface Server {
  readonly baseUrl: string;
  readonly host: string;
  /** Whether this is Anthropic's own server. */
  readonly official: boolean;
  readonly apiKey: string;
}

const ANTHROPIC_URL = 'https://api.anthropic.com';
const ANTHROPIC_HOST = 'api.anthropic.com';

/**
 * Returns the server and the key to use. Does not contact the server.
 * @throws HitlError BAD_CONFIG if the key or the URL is missing or invalid.
 */
export function serverOf({ baseUrl = ANTHROPIC_URL, apiKey, allowHttp = false }: ServerOptions): Server {
  const host = checkedHost(baseUrl, allowHttp);
  const official = host === ANTHROPIC_HOST;
  return { baseUrl, host, official, apiKey: usableKey(apiKey, official) };
}

/**
 * Returns the host of the given server URL. The key and the conversation may be sent without encryption only
 * if this is explicitly allowed.
 * @throws HitlError BAD_CONFIG if the URL is invalid or encryption is required
 */
export function checkedHost(baseUrl: string, allowHttp: boolean): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new HitlError('BAD_CONFIG', 'the base URL is not an http or https URL', {
      hint: 'for example --base-url http://localhost:11434',
    });
  }
  checkClear(sendingTo(url, WHAT_MODELS_GET), allowHttp);
  return url.host;
}

/** Describes the data that a provider receives, for error messages. */
export const WHAT_MODELS_GET = 'key and conversation';

function usableKey(given: string | undefined, official: boolean): string {
  const key = given?.trim() ?? '';
  if (key === '') {
    if (!official) return 'none';
    throw new HitlError('BAD_CONFIG', 'missing Anthropic API key', {
      hint: 'set ANTHROPIC_API_KEY, or choose another model: --model demo',
    });
  }
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new HitlError('BAD_CONFIG', 'the Anthropic API key contains invalid characters', {
    hint: 'set ANTHROPIC_API_KEY again, without line breaks or spaces',
  });
}
