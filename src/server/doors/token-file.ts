import { HitlError, nameProblem, plainName } from '../../core/index.js';
import type { TokenHolder } from './visitor.js';
import { readRoles } from './visitor.js';

/** Minimum length of a token. Shorter ones can be guessed. */
const LEAST_LENGTH = 32;

/**
 * Reads a token file: one name per line, as in `ann <token>`, with optional groups and roles, as in `ann
 * <token> groups=ops,finance roles=answer,read`.
 * @throws HitlError BAD_CONFIG for an invalid line, a short token, or a repeated name or token.
 */
export function readTokenFile(text: string): readonly TokenHolder[] {
  const people: TokenHolder[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const [written = '', token = '', ...settings] = line.trim().split(/\s+/u);
    if (written === '' || written.startsWith('#')) continue;
    const where = `line ${index + 1} of the token file`;
    const name = plainName(written);
    const problem = nameProblem(name);
    if (problem !== undefined) throw bad(`invalid name on ${where}: ${problem}`);
    if (token === '') throw bad(`missing token on ${where}`);
    if (token.length < LEAST_LENGTH)
      throw bad(
        `the token on ${where} has ${token.length} characters; at least ${LEAST_LENGTH} are required`,
      );
    if (people.some((known) => isSameName(known.name, name) || known.token === token))
      throw bad(`duplicate name or token on ${where}`);
    people.push({ name, token, ...settingsOf(settings, { where, name }) });
  }
  if (people.length > 0) return people;
  throw bad('the token file is empty');
}

/** Whether two names refer to the same person, ignoring case (`identity.ts`). */
function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function settingsOf(
  settings: readonly string[],
  { where, name }: { readonly where: string; readonly name: string },
): Pick<TokenHolder, 'groups' | 'roles'> {
  let made: Pick<TokenHolder, 'groups' | 'roles'> = {};
  for (const setting of settings) {
    const [key, value = ''] = setting.split('=', 2);
    if (key === 'groups' && made.groups === undefined && /^[^\s,@]+(?:,[^\s,@]+)*$/u.test(value))
      made = { ...made, groups: value.split(',') };
    else if (key === 'roles' && made.roles === undefined && value !== '')
      made = { ...made, roles: readRoles(value, `on ${where}`) };
    else
      throw new HitlError('BAD_CONFIG', `invalid text after the token on ${where}`, {
        // Before there were roles, a third word was a list of groups. It is not repeated: it may be a token.
        hint: `write groups and roles as: ${name} <token> groups=ops,finance roles=answer,read`,
      });
  }
  return made;
}

function bad(message: string): HitlError {
  return new HitlError('BAD_CONFIG', message, {
    hint: 'each line is a name and a token: ann $(openssl rand -hex 32)',
  });
}
