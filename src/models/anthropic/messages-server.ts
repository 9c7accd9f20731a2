import { checkClear, HitlError, sendingTo } from '../../core/index.js';

/** The settings of a server that speaks the Messages API. */
export interface ServerOptions {
  /** Needed for Anthropic itself; other servers are sent `none` without it. */
  readonly apiKey?: string;
  /** Another server that speaks the Messages API. Default: Anthropic's. */
  readonly baseUrl?: string;
  /** Allows sending key and conversation unencrypted to another machine. Default: false. */
  readonly allowHttp?: boolean;
}

/** A usable server. */
export interface Server {
  readonly baseUrl: string;
  readonly host: string;
  /** Whether it is Anthropic's own. */
  readonly official: boolean;
  readonly apiKey: string;
}

const ANTHROPIC_URL = 'https://api.anthropic.com';
const ANTHROPIC_HOST = 'api.anthropic.com';

/**
 * Returns the server and key; sends nothing.
 * @throws HitlError BAD_CONFIG without a usable key or URL.
 */
export function serverOf({ baseUrl = ANTHROPIC_URL, apiKey, allowHttp = false }: ServerOptions): Server {
  const host = checkedHost(baseUrl, allowHttp);
  const official = host === ANTHROPIC_HOST;
  return { baseUrl, host, official, apiKey: usableKey(apiKey, official) };
}

/**
 * Returns the host of a named server: key and conversation go to it unencrypted only with permission. @throws
 * HitlError BAD_CONFIG
 */
export function checkedHost(baseUrl: string, allowHttp: boolean): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new HitlError('BAD_CONFIG', 'the base URL is not an http or https address', {
      hint: 'for example --base-url http://localhost:11434',
    });
  }
  checkClear(sendingTo(url, WHAT_MODELS_GET), allowHttp);
  return url.host;
}

/** What a provider receives, in a refusal's words. */
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
    hint: 'set ANTHROPIC_API_KEY again, without line breaks and spaces',
  });
}
