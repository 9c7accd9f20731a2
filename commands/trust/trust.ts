import { escapeText, HitlError, messageOf, shown, joined } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import { tell } from '../host/index.js';
import type { Mode } from '../flags/mode.js';
import type { RunFlags } from '../flags/options.js';
import type { FileContent } from '../../src/files/index.js';
import { followed, guardedFolder, liesIn } from '../../src/programs/index.js';
import type { TrustedFiles } from './trust-store.js';
import { readTrust, rememberTrust, trusts } from './trust-store.js';
import type { Looked } from './unseen.js';
import { isUnseen, lookedAt } from './unseen.js';
import { confirmHere } from '../screen/confirm-here.js';

/** A request to load something, with the information that the user needs to decide. */
export interface TrustRequest {
  /** `this folder’s configuration`. */
  readonly what: string;
  readonly files: readonly FileContent[];
  /** Possible effects of loading it, one line each. May contain untrusted text. */
  readonly lines: readonly string[];
  /** The alternative to trusting it. */
  readonly otherwise: string;
}

/** Returns the paths of all trusted files, in any folder. */
export async function trustedPaths(io: Pick<Io, 'env' | 'home'>): Promise<readonly string[]> {
  return Object.keys(await readTrust(io)).filter((path) => !isUnseen(path));
}

/** Whether every file is trusted with its current content. */
export async function areTrusted(io: Io, files: readonly FileContent[]): Promise<boolean> {
  const trusted = await readTrust(io);
  return files.every((file) => trusts(trusted, file));
}

/**
 * Whether something may be loaded, because it is trusted with its current content, `--trust` is set, or the
 * user approved it (G34).
 * @throws HitlError USAGE if there is no user to ask.
 */
export async function isTrusted(
  io: Io,
  flags: Pick<RunFlags, 'trust' | 'color'>,
  mode: Mode,
  request: TrustRequest,
): Promise<boolean> {
  const trusted = await readTrust(io);
  const strange = request.files.filter((file) => !trusts(trusted, file));
  if (strange.length === 0) return true;
  if (flags.trust === false) return false;
  if (flags.trust !== true && !(await agreed(io, flags, mode, { ...request, strange, trusted })))
    return false;
  await keepTrust(io, strange);
  return true;
}

/**
 * Returns the files whose exact content must be trusted: files that have a trust entry, and files in the
 * folder that the session works on.
 */
export async function concerned(
  io: Pick<Io, 'env' | 'home' | 'cwd'>,
  files: readonly FileContent[],
): Promise<readonly FileContent[]> {
  const trusted = await readTrust(io);
  const guarded = guardedFolder(io);
  return files.filter((file) => Object.hasOwn(trusted, file.path) || liesIn(file.path, guarded));
}

/**
 * Returns the files, in their current state, that a program loads when it runs in a neutral folder. Files in
 * the folder that the session works on must be trusted; otherwise, anyone who can change such a file could
 * cause it to be run.
 * @throws HitlError BAD_CONFIG if one of them is not trusted in its current state.
 */
export async function trustedWords(
  io: Pick<Io, 'env' | 'home' | 'cwd'>,
  what: string,
  words: readonly string[],
): Promise<Pick<Looked, 'files' | 'unseen'>> {
  const guarded = guardedFolder(io);
  const looked = lookedAt(io, what, followed({ words, guarded }));
  const trusted = await readTrust(io);
  const strange = looked.trusted.find(
    (file) => (isUnseen(file.path) || liesIn(file.path, guarded)) && !trusts(trusted, file),
  );
  if (strange === undefined) return looked;
  throw new HitlError('BAD_CONFIG', `\`${strange.path}\` is not trusted in its current state`, {
    hint: 'review it, then start with --trust; keep files used by your own configuration outside the working folder',
  });
}

/**
 * Records that the user trusts these files with their current content. If saving fails, the user is asked
 * again next time.
 */
export async function keepTrust(io: Io, files: readonly FileContent[]): Promise<void> {
  try {
    await rememberTrust(io, files);
  } catch (thrown) {
    tell(io.stderr, shown`could not save the trust decision: ${escapeText(messageOf(thrown))}`);
  }
}

interface Strange extends TrustRequest {
  /** The entries of `files` that are not trusted with their current content. */
  readonly strange: readonly FileContent[];
  readonly trusted: TrustedFiles;
}

async function agreed(
  io: Io,
  { color }: Pick<RunFlags, 'color'>,
  mode: Mode,
  { what, lines, otherwise, strange, trusted }: Strange,
): Promise<boolean> {
  const named = strange.map((file) => `${file.path}${changed(file, trusted)}`);
  // Where stdin is the message, the terminal is kept for the questions of the session.
  if (!mode.interactive || !io.stdin.isTTY) {
    throw new HitlError('USAGE', `${what} is not trusted: ${named.join(', ')}`, {
      hint: `review it, then add --trust; ${otherwise}`,
      detail: { untrusted: strange.map(({ path }) => path) },
    });
  }
  const said = [
    `Not trusted: ${what}`,
    ...named.map((name, index) => `  ${name}  sha256 ${strange[index]?.sha256.slice(0, 8) ?? ''}`),
    ...lines.map((line) => `  ${line}`),
    'You will be asked again if these files or packages change.',
  ];
  tell(io.stderr, joined(said.map((line) => escapeText(line))));
  return confirmHere(
    io,
    { color, lines: mode.lines?.() },
    { message: 'Trust and load?', yes: 'trust', no: "don't load" },
  );
}

function changed({ path }: FileContent, trusted: TrustedFiles): string {
  const before = Object.hasOwn(trusted, path) ? trusted[path] : undefined;
  if (before === undefined) return '';
  return isUnseen(path)
    ? ` (a tool has run in this folder since you trusted it, ${before.at})`
    : ` (changed since you trusted it, ${before.at})`;
}
