import { mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { escapeText, HitlError, messageOf, sha256 } from '../../src/core/index.js';
import type { CommonFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import { printJson, replaceFile, tell } from '../host/index.js';
import { configFrom } from './config-file.js';
import { foundBytes } from '../../src/files/index.js';
import { areTrusted, keepTrust } from '../trust/trust.js';

/**
 * Changes a configuration file atomically, and only if the result is valid. If the file was trusted or did
 * not exist, the new content is trusted, because the user made the change. Returns false if nothing changed.
 * @throws HitlError BAD_CONFIG, SAVE_FAILED with nothing changed.
 */
export async function changeConfig(
  io: Io,
  path: string,
  edit: (before: string) => string | Promise<string>,
): Promise<boolean> {
  const bytes = foundBytes(path);
  const before = bytes?.toString('utf8') ?? '';
  const after = await edited(path, before, edit);
  if (after === before) return false;
  configFrom(after, path);
  const wasTrusted = bytes === undefined || (await areTrusted(io, [{ path, sha256: sha256(bytes) }]));
  await write(path, after);
  if (wasTrusted) await keepTrust(io, [{ path, sha256: sha256(Buffer.from(after)) }]);
  return true;
}

/** Reports the result of a change as JSON or text. @returns the exit status */
export function toldChange(
  io: Io,
  { json, quiet }: CommonFlags,
  document: object,
  lines: readonly (string | undefined)[],
): number {
  if (json === true) printJson(io, document);
  else if (quiet !== true)
    for (const line of lines) if (line !== undefined) tell(io.stderr, escapeText(line));
  return 0;
}

async function edited(
  path: string,
  before: string,
  edit: (before: string) => string | Promise<string>,
): Promise<string> {
  try {
    return await edit(before);
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new HitlError('BAD_CONFIG', `cannot change the configuration \`${path}\`: ${cause.message}`, {
      hint: 'fix it by hand: hitl config edit',
      cause,
    });
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Where it is a link, its target is replaced and the link stays.
    const target = await realpath(path).catch(() => path);
    await replaceFile(target, text.endsWith('\n') ? text : `${text}\n`);
  } catch (cause) {
    throw new HitlError('SAVE_FAILED', `cannot write \`${path}\`: ${messageOf(cause)}`, {
      hint: 'the file was not changed',
      cause,
    });
  }
}
