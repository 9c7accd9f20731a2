import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { domainToUnicode } from 'node:url';
import type { JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonObject, membersOf, toWellFormed } from '../../core/index.js';
import { secretIn } from '../secret-in-form.js';
import { toJson } from '../to-json.js';

/** A question from a server to the user. */
export interface ServerQuestion {
  /** The content to display, which comes from the server. */
  readonly payload: JsonObject;
  /** JSON Schema for the answer. */
  readonly answerSchema: JsonObject;
  /**
   * Whether the question is a URL for the user to visit. The answer then only confirms that the user is done.
   */
  readonly isAddress: boolean;
}

/** Maximum length of the message in a server's question, in characters. */
const LONGEST_MESSAGE = 4_000;

/**
 * Reads a question from a server.
 * @throws HitlError TOOL_FAILED for a form that asks for a secret, and for a URL that browsers refuse.
 */
export function readQuestion(server: string, params: ElicitRequest['params']): ServerQuestion {
  const message = toWellFormed(params.message.slice(0, LONGEST_MESSAGE));
  if (params.mode === 'url') return addressQuestion(server, message, params.url);
  const answerSchema = toJson(params.requestedSchema, 'the server’s form');
  if (!isJsonObject(answerSchema)) throw refused(server, 'asked with an invalid form');
  const secret = secretIn(answerSchema, message);
  if (secret !== undefined)
    throw refused(server, `asked for ${secret} in a form; secrets are never typed into a server’s form`);
  return { payload: { message }, answerSchema, isAddress: false };
}

function addressQuestion(server: string, message: string, address: string): ServerQuestion {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol))
    throw refused(server, 'asked to open an invalid URL');
  const named = domainToUnicode(url.hostname);
  const isDisguised = named !== url.hostname;
  return {
    payload: {
      message,
      facts: {
        host: isDisguised ? `${url.host}, which is written ${named}` : url.host,
        address: url.href,
      },
      warnings: [
        ...(isDisguised ? ['this host has look-alike letters: compare it with the one you know'] : []),
        ...(url.protocol === 'http:' ? ['this address is not encrypted'] : []),
      ],
    },
    answerSchema: {
      type: 'string',
      enum: ['done', 'declined'],
      description: 'open it in your browser yourself',
    },
    isAddress: true,
  };
}

/** Converts the user's answer to a reply for the server. */
export function elicited({ isAddress }: Pick<ServerQuestion, 'isAddress'>, answer: JsonValue): ElicitResult {
  if (isAddress) return { action: answer === 'done' ? 'accept' : 'decline' };
  return { action: 'accept', content: contentOf(answer) };
}

/** Keeps only the values that a form can contain: strings, numbers, booleans, and lists of strings. */
function contentOf(answer: JsonValue): NonNullable<ElicitResult['content']> {
  const content: NonNullable<ElicitResult['content']> = {};
  for (const [key, value] of Object.entries(membersOf(answer))) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      content[key] = value;
    else if (Array.isArray(value)) content[key] = value.filter((item) => typeof item === 'string');
  }
  return content;
}

function refused(server: string, what: string): HitlError {
  return new HitlError('TOOL_FAILED', `server \`${server}\` ${what}`);
}
