import type * as Client from '@modelcontextprotocol/client';
import type { JsonSchemaValidator, Transport } from '@modelcontextprotocol/client';
import { escapeText, HitlError } from '../../../core/index.js';

/** The parts of the SDK that are used here. */
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
 * Loads the client of the protocol, which is installed beside this package by whoever wants it.
 * @throws HitlError BAD_CONFIG where it is not there.
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

/** Takes any output: its schema is checked where the output is taken, in limited time, and not by the SDK. */
export const UNCHECKED = { getValidator: anyValue };

function anyValue<Value>(): JsonSchemaValidator<Value>;
function anyValue(): (data: unknown) => unknown {
  return (data) => ({ valid: true, data, errorMessage: undefined });
}

const ESCAPED = Symbol.for('hitl.escaped-warnings');

/** Escapes the warnings of the SDK, which hold words of servers as they came: a terminal would obey them. */
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

/** The variables that every program needs, as the SDK has them. */
export async function environmentOfPrograms(): Promise<Readonly<Record<string, string>>> {
  const { getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  return getDefaultEnvironment();
}

/** The characters of an id that are told. */
const LONGEST_ID = 40;

/**
 * A transport on which an answer counts under the very id of a request that waits: the SDK takes `"2"` and `[2]` for 2.
 * What else answers is passed over; one that reads like an id that waits is told.
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
