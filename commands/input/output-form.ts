import { resolve } from 'node:path';
import type { OutputForm } from '../../src/core/index.js';
import { HitlError, isJsonObject, parseStrictJson } from '../../src/core/index.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { namedText } from './named-text.js';
import { compileSchema } from '../../src/tools/index.js';

/**
 * Reads the schema of the reply. `--json-schema` is a JSON object, or the path of a file that contains one.
 * @throws HitlError USAGE if it is invalid or the reply would not be printed; BAD_CONFIG for an unsupported
 * schema.
 */
export async function outputForm(
  io: Pick<Io, 'cwd'>,
  { jsonSchema: given, print }: Pick<RunFlags, 'jsonSchema' | 'print'>,
): Promise<OutputForm | undefined> {
  if (given === undefined) return undefined;
  if (print !== true)
    throw new HitlError('USAGE', '`--json-schema` only works for a single turn', {
      hint: 'use it with --print',
    });
  const path = resolve(io.cwd, given);
  const isSchema = given.trimStart().startsWith('{');
  const where = isSchema ? '`--json-schema`' : `\`${path}\``;
  const hint = 'check the `--json-schema` path; a value that starts with { is the schema itself';
  const text = isSchema ? given : await namedText(path, `the schema ${where}`, { hint });
  const read = parseStrictJson(text);
  if (!read.ok || !isJsonObject(read.value))
    throw new HitlError('USAGE', `${where} is not a JSON object${read.ok ? '' : `: ${read.message}`}`, {
      hint: 'pass {"type":"object","properties":{…}}, or the path of a schema file',
    });
  return compileSchema(read.value, where);
}
