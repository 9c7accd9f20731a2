// Passwords as libpq keeps them: `~/.pgpass`, or the file that PGPASSFILE names.
import { readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A connection's target. */
export interface ConnectionFacts {
  readonly host?: string | null;
  readonly port?: number | null;
  readonly database?: string | null;
  readonly user?: string | null;
}

/** Error message if the server requires a password and none is set. */
export const WANTS_PASSWORD = 'the server requires a password, but none is set';

const OTHERS = 0o077;
const PORT = 5432;
/** Matches a field: escaped characters, and any characters except the field separator. */
const FIELD = /^(?:\\[:\\]|[^:])*/;

/**
 * Returns the password from the first matching line of the password file. A line has the form
 * `host:port:database:user:password`, in which `*` matches any value. Returns `undefined` if no line matches,
 * or if other users may read the file. libpq also ignores such a file.
 */
export function passwordFor(
  { host, port, database, user }: ConnectionFacts,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const file = env['PGPASSFILE'] ?? path.join(env['HOME'] ?? os.homedir(), '.pgpass');
  const isSocket = host === undefined || host === null || host === '' || host.startsWith('/');
  const wanted = [isSocket ? ['localhost', host] : [host], [String(port ?? PORT)], [database], [user]];
  for (const line of linesOf(file)) {
    const { fields, rest } = partsOf(line);
    const fits = fields.every((field, at) => field === '*' || wanted[at]?.includes(field));
    if (!line.startsWith('#') && rest !== undefined && fits) return unescaped(rest);
  }
  return undefined;
}

function linesOf(file: string): readonly string[] {
  try {
    const facts = statSync(file);
    if (!facts.isFile() || (facts.mode & OTHERS) !== 0) return [];
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch {
    return []; // there is none, or it cannot be read: the server says that it wants one
  }
}

/** Splits a line into four fields and the password. If a field is missing, returns no password. */
function partsOf(line: string): { readonly fields: readonly string[]; readonly rest?: string } {
  const fields: string[] = [];
  let rest = line;
  while (fields.length < 4) {
    const [field = ''] = FIELD.exec(rest) ?? [];
    if (rest[field.length] !== ':') return { fields };
    fields.push(unescaped(field));
    rest = rest.slice(field.length + 1);
  }
  return rest === '' ? { fields } : { fields, rest };
}

function unescaped(field: string): string {
  return field.replaceAll(/\\([:\\])/g, '$1');
}
