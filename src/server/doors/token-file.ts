import { HitlError } from '../../core/index.js';
import type { Person } from './visitor.js';

/** Shorter tokens can be guessed. */
const LEAST_LENGTH = 32;

/**
 * Reads a file of tokens: a person a line, as `ann <token>`, with groups behind it as `ann <token> ops,finance`.
 * @throws HitlError BAD_CONFIG for a line that says nothing of the kind, a short token, a name or a token given twice.
 */
export function readTokenFile(text: string): readonly Person[] {
  const people: Person[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.trim().split(/\s+/u);
    const [name = '', token = '', groups] = words;
    if (name === '' || name.startsWith('#')) continue;
    const where = `line ${index + 1} of the token file`;
    if (words.length > 3 || token === '') throw bad(`${where} is not a name and a token`);
    if (token.length < LEAST_LENGTH)
      throw bad(
        `the token on ${where} has ${token.length} characters, and at least ${LEAST_LENGTH} are needed`,
      );
    if (people.some((known) => known.name === name || known.token === token))
      throw bad(`${where} has a name or a token that stands above`);
    people.push({ name, token, ...(groups !== undefined && { groups: groups.split(',') }) });
  }
  if (people.length > 0) return people;
  throw bad('the token file names nobody');
}

function bad(message: string): HitlError {
  return new HitlError('BAD_CONFIG', message, {
    hint: 'a line is a name and a token: ann $(openssl rand -hex 32)',
  });
}
