import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { domainToUnicode } from 'node:url';
import type { JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonObject, membersOf, toWellFormed } from '../../core/index.js';
import { toJson } from '../to-json.js';

/** A question that a server wants a person to answer. */
export interface ServerQuestion {
  /** As it is shown; the words in it are the server's. */
  readonly payload: JsonObject;
  /** JSON Schema of the answer. */
  readonly answerSchema: JsonObject;
  /** An address that the person visits; the answer only says that it is done. */
  readonly isAddress: boolean;
}

/** The characters of a server's words in a question. */
const LONGEST_MESSAGE = 4_000;

/** Names of fields in which people would type what is nobody's business. */
const SECRET_FIELD =
  /pass[\s_-]?(?:word|phrase|code)|secret|token|api[\s_-]?key|private[\s_-]?key|credential|\bpin\b|\bcv[cv]\b|card[\s_-]?number|passwort|kennwort/iu;

/**
 * Reads what a server asks.
 * @throws HitlError TOOL_FAILED for a form that asks for a secret, and for an address that no browser opens.
 */
export function readQuestion(server: string, params: ElicitRequest['params']): ServerQuestion {
  const message = toWellFormed(params.message.slice(0, LONGEST_MESSAGE));
  if (params.mode === 'url') return addressQuestion(server, message, params.url);
  const answerSchema = toJson(params.requestedSchema, 'the form of the server');
  if (!isJsonObject(answerSchema)) throw refused(server, 'asks with a form that is none');
  const secret = secretField(answerSchema);
  if (secret !== undefined)
    throw refused(server, `asks for \`${secret}\` in a form: a secret is typed into no form of a server`);
  return { payload: { message }, answerSchema, isAddress: false };
}

function addressQuestion(server: string, message: string, address: string): ServerQuestion {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/u.test(url.protocol))
    throw refused(server, 'asks to visit what is no address of the web');
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
        ...(isDisguised
          ? ['the letters of this host can be taken for others: compare it with the one you know']
          : []),
        ...(url.protocol === 'http:' ? ['this address is not encrypted'] : []),
      ],
    },
    answerSchema: {
      type: 'string',
      enum: ['done', 'declined'],
      description: 'open it yourself; nothing opens it for you',
    },
    isAddress: true,
  };
}

/** The answer of a person, as the server is told it. */
export function elicited({ isAddress }: Pick<ServerQuestion, 'isAddress'>, answer: JsonValue): ElicitResult {
  if (isAddress) return { action: answer === 'done' ? 'accept' : 'decline' };
  return { action: 'accept', content: contentOf(answer) };
}

/** A form takes texts, numbers, yes and no, and lists of texts. */
function contentOf(answer: JsonValue): NonNullable<ElicitResult['content']> {
  const content: NonNullable<ElicitResult['content']> = {};
  for (const [key, value] of Object.entries(membersOf(answer))) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      content[key] = value;
    else if (Array.isArray(value)) content[key] = value.filter((item) => typeof item === 'string');
  }
  return content;
}

function secretField(schema: JsonObject): string | undefined {
  for (const [name, field] of Object.entries(membersOf(schema['properties'] ?? {}))) {
    const { title, format } = membersOf(field);
    // `accessToken` and `access_token` are one name.
    const words = `${name} ${name.replaceAll(/([a-z])([A-Z])/gu, '$1 $2')} ${typeof title === 'string' ? title : ''}`;
    if (format === 'password' || SECRET_FIELD.test(words)) return name;
  }
  return undefined;
}

function refused(server: string, what: string): HitlError {
  return new HitlError('TOOL_FAILED', `the server \`${server}\` ${what}`);
}
