import type * as Client from '@modelcontextprotocol/client';
import type { JsonSchemaValidator, Transport } from '@modelcontextprotocol/client';
import { escapeText, HitlError } from '../../../core/index.js';

/** The part of the SDK that hitl uses. */
export type Sdk = Pick<
  typeof Client,
  | 'Client'
  | 'auth'
  | 'OAuthError'
  | 'extractWWWAuthenticateParams'
  | 'deserializeMessage'
  | 'serializeMessage'
  | 'StreamableHTTPClientTransport'
  | 'ProtocolError'
  | 'SdkHttpError'
  | 'isInputRequiredResult'
  | 'isCallToolResult'
>;

/**
 * Loads the MCP client, an optional peer dependency.
 * @throws HitlError BAD_CONFIG if it is not installed.
 */
export async function loadSdk(): Promise<Sdk> {
  try {
    const sdk = await import('@modelcontextprotocol/client');
    escapeItsWarnings();
    return sdk;
  } catch (cause) {
    throw new HitlError('BAD_CONFIG', 'MCP servers need an optional package', {
      hint: 'install it next to hitl: npm install @modelcontextprotocol/client@2',
      cause,
    });
  }
}

/**
 * Validator that accepts any output. The SDK need not validate it, because hitl does so later, with a time
 * limit.
 */
export const UNCHECKED = { getValidator: anyValue };

function anyValue<Value>(): JsonSchemaValidator<Value>;
function anyValue(): (data: unknown) => unknown {
  return (data) => ({ valid: true, data, errorMessage: undefined });
}

const ESCAPED = Symbol.for('hitl.escaped-warnings');

/**
 * Escapes the warnings that the SDK prints, because they contain untrusted text that a terminal could
 * interpret.
 */
function escapeItsWarnings(): void {
  const { console } = globalThis;
  const warn = console.warn.bind(console);
  if (ESCAPED in console.warn) return;
  const escaped = (...told: readonly unknown[]): void => {
    const [first] = told;
    const isItsOwn = typeof first === 'string' && first.startsWith('[mcp-sdk]');
    if (isItsOwn) warn(escapeText(first));
    else warn(...told);
  };
  console.warn = Object.assign(escaped, { [ESCAPED]: true });
}

/** Returns the variables that every program needs, as determined by the SDK. */
export async function environmentOfPrograms(): Promise<Readonly<Record<string, string>>> {
  const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  return getDefaultEnvironment();
}

/** Maximum number of characters of an ID to show. */
const LONGEST_ID = 40;

/**
 * Wraps a transport so that it accepts a reply only if its ID is exactly that of a pending request, because
 * the SDK reads `"2"` and `[2]` as 2. Other replies are ignored, and are reported if their ID resembles that
 * of a pending request.
 */
export function withOurIds<Channel extends Transport>(
  channel: Channel,
  foreign: (id: string) => void,
): Channel {
  const waiting = new Set<unknown>();
  const send = channel.send.bind(channel);
  channel.send = (message, options) => {
    if ('method' in message && 'id' in message) waiting.add(message.id);
    return send(message, options);
  };
  let hear: Transport['onmessage'];
  Object.defineProperty(channel, 'onmessage', {
    configurable: true,
    enumerable: true,
    get: () => hear,
    set: (listener: Transport['onmessage']) => {
      hear = (message, extra) => {
        if ('method' in message || message.id === undefined || waiting.delete(message.id))
          listener?.(message, extra);
        else if (waiting.has(Number(message.id))) foreign(JSON.stringify(message.id).slice(0, LONGEST_ID));
      };
    },
  });
  return channel;
}
