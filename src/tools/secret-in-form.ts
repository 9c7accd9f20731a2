import type { JsonObject, JsonValue } from '../core/index.js';
import { membersOf } from '../core/index.js';

/**
 * Matches words that refer to secrets in the name or description of a field, or in the message. Secrets must
 * not be typed into a form from a server.
 */
const SECRET =
  /pass[\s_-]?(?:word|phrase|code|key)|\bpwd\b|\bsecrets?\b|credential|one[\s_-]?time|\botp\b|\b2fa\b|\bmfa\b|(?:verification|security|recovery|auth\w*|login|sms|backup)[\s_-]?(?:code|pin)|\bpin\b|\bcv[cv]2?\b|(?:card|account)[\s_-]?number|\biban\b|(?:seed|recovery)[\s_-]?phrase|mnemonic|passwort|kennwort|geheimzahl|mot de passe|contrase(?:ñ|n)a|\bsenha\b|парол|密码|密碼|パスワード|비밀번호/iu;
/**
 * Matches warnings against entering secrets. They are ignored, because legitimate servers include them in
 * requests that do not ask for a secret.
 */
const WARNED_OF =
  /\b(?:do not|don['’]t|never) (?:use|enter|include|send|share|give|tell|provide|write|type) [^.;:!?)]*/giu;
/** Matches additional words that refer to a secret in a text field, but not in a number or a list. */
const SECRET_TEXT =
  /\btokens?\b|\bkey\b(?!\s*(?:word|board|note|point|term|phrase))|(?:api|access|private|ssh|signing|license)[\s_-]?keys?/iu;

/**
 * Returns the name of the field with which a form asks for a secret, or `a secret` if its message asks for
 * one. Returns `undefined` if neither does.
 */
export function secretIn(schema: JsonObject, message: string): string | undefined {
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

/**
 * Whether words refer to a secret, in any spelling, such as `accessToken`, `access_token`, or text with
 * invisible characters.
 */
function isSecret(words: string, isText: boolean): boolean {
  const plain = words
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/([a-z])([A-Z])/gu, '$1 $2')
    .replaceAll('_', ' ')
    .replaceAll(WARNED_OF, '');
  return SECRET.test(plain) || (isText && SECRET_TEXT.test(plain));
}
