import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { domainToUnicode } from 'node:url';
import type { JsonObject, JsonValue } from '../../core/index.js';
import { HitlError, isJsonObject, membersOf, toWellFormed } from '../../core/index.js';
import { toJson } from '../to-json.js';

/** A server's question to a person. */
export interface ServerQuestion {
  /** Content as shown, in the server's words. */
  readonly payload: JsonObject;
  /** JSON Schema of the answer. */
  readonly answerSchema: JsonObject;
  /** A URL for the person to visit; the answer only says that it is done. */
  readonly isAddress: boolean;
}

/** The characters of a server's words in a question. */
const LONGEST_MESSAGE = 4_000;

/** Words for what is typed into no form of a server, in the name of a field, what is said of it, or the message. */
const SECRET =
  /pass[\s_-]?(?:word|phrase|code|key)|\bpwd\b|\bsecrets?\b|credential|one[\s_-]?time|\botp\b|\b2fa\b|\bmfa\b|(?:verification|security|recovery|auth\w*|login|sms|backup)[\s_-]?(?:code|pin)|\bpin\b|\bcv[cv]2?\b|(?:card|account)[\s_-]?number|\biban\b|(?:seed|recovery)[\s_-]?phrase|mnemonic|passwort|kennwort|geheimzahl|mot de passe|contrase(?:ñ|n)a|\bsenha\b|парол|密码|密碼|パスワード|비밀번호/iu;
/** Words of servers that mean well. */
const WARNED_OF =
  /\b(?:do not|don['’]t|never) (?:use|enter|include|send|share|give|tell|provide|write|type) [^.;:!?)]*/giu;
/** Beside those, for a field that takes text: words that mean a secret there, and not in a number or a list. */
const SECRET_TEXT =
  /\btokens?\b|\bkey\b(?!\s*(?:word|board|note|point|term|phrase))|(?:api|access|private|ssh|signing|license)[\s_-]?keys?/iu;

/**
 * Reads what a server asks.
 * @throws HitlError TOOL_FAILED for a form that asks for a secret, and for an address that no browser opens.
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

/** Finds what a form asks for that is a secret, by the field or by what the message says; `undefined` where nothing is. */
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

/** True for words about a secret, however they are written: `accessToken`, `access_token`, with signs that do not show. */
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
