import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { domainToUnicode } from 'node:url';
import type { JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonObject, membersOf, toWellFormed } from '../../core/index.js';
import { toJson } from '../to-json.js';

/** A server's question to a person. */
export interface ServerQuestion {
  /** Displayed content, in the server's words. */
  readonly payload: JsonObject;
  /** JSON Schema of the answer. */
  readonly answerSchema: JsonObject;
  /** A URL for the user to visit; the answer only confirms completion. */
  readonly isAddress: boolean;
}

/** Limit of a server's message in a question, in characters. */
const LONGEST_MESSAGE = 4_000;

/**
 * Words for secrets, which must not be typed into a server's form: in a field's name, its description, or the
 * message.
 */
const SECRET =
  /pass[\s_-]?(?:word|phrase|code|key)|\bpwd\b|\bsecrets?\b|credential|one[\s_-]?time|\botp\b|\b2fa\b|\bmfa\b|(?:verification|security|recovery|auth\w*|login|sms|backup)[\s_-]?(?:code|pin)|\bpin\b|\bcv[cv]2?\b|(?:card|account)[\s_-]?number|\biban\b|(?:seed|recovery)[\s_-]?phrase|mnemonic|passwort|kennwort|geheimzahl|mot de passe|contrase(?:ñ|n)a|\bsenha\b|парол|密码|密碼|パスワード|비밀번호/iu;
/** Names in requests of well-meaning servers. */
const WARNED_OF =
  /\b(?:do not|don['’]t|never) (?:use|enter|include|send|share|give|tell|provide|write|type) [^.;:!?)]*/giu;
/** Additional words for text fields: they mean a secret there, but not in a number or list. */
const SECRET_TEXT =
  /\btokens?\b|\bkey\b(?!\s*(?:word|board|note|point|term|phrase))|(?:api|access|private|ssh|signing|license)[\s_-]?keys?/iu;

/**
 * Reads a server's question.
 * @throws HitlError TOOL_FAILED for a form that asks for a secret, and for a URL that browsers refuse.
 */
export function readQuestion(server: string, params: ElicitRequest['params']): ServerQuestion {
  const message = toWellFormed(params.message.slice(0, LONGEST_MESSAGE));
  if (params.mode === 'url') return addressQuestion(server, message, params.url);
  const answerSchema = toJson(params.requestedSchema, 'the form of the server');
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

/** Converts a person's answer for the server. */
export function elicited({ isAddress }: Pick<ServerQuestion, 'isAddress'>, answer: JsonValue): ElicitResult {
  if (isAddress) return { action: answer === 'done' ? 'accept' : 'decline' };
  return { action: 'accept', content: contentOf(answer) };
}

/** Keeps what a form supports: strings, numbers, booleans, and lists of strings. */
function contentOf(answer: JsonValue): NonNullable<ElicitResult['content']> {
  const content: NonNullable<ElicitResult['content']> = {};
  for (const [key, value] of Object.entries(membersOf(answer))) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      content[key] = value;
    else if (Array.isArray(value)) content[key] = value.filter((item) => typeof item === 'string');
  }
  return content;
}

/** Finds a secret requested by a form, by its field or message; `undefined` if there is none. */
function secretIn(schema: JsonObject, message: string): string | undefined {
  const typed = Object.entries(membersOf(schema['properties'] ?? {})).flatMap(([name, field]) => {
    const about = membersOf(field);
    const isChosen =
      about['type'] === 'boolean' || isListed(about) || isListed(membersOf(about['items'] ?? {}));
    return isChosen ? [] : [{ name, about }];
  });
  for (const { name, about } of typed) {
    const { title, description, format, type } = about;
    const words = [name, title, description].filter((text) => typeof text === 'string').join(' · ');
    if (format === 'password' || isSecret(words, takesTextOf(type))) return `\`${name}\``;
  }
  const takesText = typed.some(({ about }) => takesTextOf(about['type']));
  return typed.length > 0 && isSecret(message, takesText) ? 'a secret' : undefined;
}

function takesTextOf(type: JsonValue | undefined): boolean {
  return type !== 'number' && type !== 'integer';
}

function isListed({ enum: values, oneOf, anyOf }: JsonObject): boolean {
  return [values, oneOf, anyOf].some((listed) => listed !== undefined);
}

/** Whether words mean a secret, in any spelling: `accessToken`, `access_token`, with invisible characters. */
function isSecret(words: string, isText: boolean): boolean {
  const plain = words
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/([a-z])([A-Z])/gu, '$1 $2')
    .replaceAll('_', ' ')
    .replaceAll(WARNED_OF, '');
  return SECRET.test(plain) || (isText && SECRET_TEXT.test(plain));
}

function refused(server: string, what: string): HitlError {
  return new HitlError('TOOL_FAILED', `server \`${server}\` ${what}`);
}
