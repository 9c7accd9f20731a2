import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { OutputForm } from '../../src/core/index.js';
import { HitlError, isJsonObject, messageOf, parseStrictJson } from '../../src/core/index.js';
import type { RunFlags } from '../flags/index.js';
import type { Io } from '../host/index.js';

/**
 * Reads the schema that the reply has to fit: `--json-schema` is a JSON object, or the file of one.
 * @throws HitlError USAGE where it is none, or nobody would print the reply; BAD_CONFIG for a schema that cannot be checked.
 */
export async function outputForm(
  io: Pick<Io, 'cwd'>,
  { jsonSchema: given, print }: Pick<RunFlags, 'jsonSchema' | 'print'>,
): Promise<OutputForm | undefined> {
  if (given === undefined) return undefined;
  if (print !== true)
    throw new HitlError('USAGE', '`--json-schema` is for one turn', { hint: 'give it with --print' });
  const [text, where] = given.trimStart().startsWith('{')
    ? [given, '`--json-schema`']
    : await textOfFile(resolve(io.cwd, given));
  const read = parseStrictJson(text);
  if (!read.ok || !isJsonObject(read.value))
    throw new HitlError('USAGE', `${where} is no JSON object${read.ok ? '' : `: ${read.message}`}`, {
      hint: 'a schema is {"type":"object","properties":{…}}, or the path of a file that holds one',
    });
  const { compileSchema } = await import('../../src/tools/index.js');
  return compileSchema(read.value, where);
}

async function textOfFile(path: string): Promise<readonly [text: string, where: string]> {
  try {
    return [await readFile(path, 'utf8'), `\`${path}\``];
  } catch (cause) {
    throw new HitlError('USAGE', `cannot read the schema \`${path}\`: ${messageOf(cause)}`, {
      hint: 'check the path of `--json-schema`; what begins with { is the schema itself',
      cause,
    });
  }
}
