import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';

import { errnoOf, HitlError, messageOf } from '../../src/core/index.js';

/** Length of a key in bytes. */
const KEY_BYTES = 32;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
const PERMISSIONS = 0o777;

/**
 * Returns the user's key: 32 unpredictable bytes in a file that only the user can read. Creates the key if it
 * is missing.
 * @throws HitlError SAVE_FAILED if the key cannot be read or created. SESSION_UNSAFE if the file does not
 * contain a key, or if other users can read or change it. hitl, like ssh, does not use such a key.
 * @param random returns unpredictable bytes.
 */
export function ownKey(file: string, random: (size: number) => Uint8Array): Uint8Array {
  try {
    return readKey(file) ?? makeKey(file, random);
  } catch (cause) {
    if (errnoOf(cause) === undefined) throw cause;
    throw new HitlError('SAVE_FAILED', `cannot read or create your key \`${file}\`: ${messageOf(cause)}`, {
      hint: 'it signs your approvals; make its folder writable, or set HITL_HOME to a folder you own',
      cause,
    });
  }
}

function readKey(file: string): Uint8Array | undefined {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const facts = fstatSync(fd);
    const mode = facts.mode & PERMISSIONS;
    if ((mode & OTHERS) !== 0) throw openToOthers(file, mode);
    const key = new Uint8Array(KEY_BYTES);
    if (!facts.isFile() || facts.size !== KEY_BYTES || readSync(fd, key, 0, KEY_BYTES, 0) !== KEY_BYTES) {
      throw new HitlError('SESSION_UNSAFE', `\`${file}\` is not a ${KEY_BYTES}-byte key`, {
        hint: 'move it away: hitl creates a new one, and asks again about earlier approvals',
      });
    }
    return key;
  } finally {
    closeSync(fd);
  }
}

function openToOthers(file: string, mode: number): HitlError {
  return new HitlError(
    'SESSION_UNSAFE',
    `your key \`${file}\` is accessible to other users (mode 0${mode.toString(8)})`,
    {
      hint: `chmod 600 ${file}, if no one else used this machine; otherwise move the key away: hitl creates a new one, and asks again about earlier approvals`,
    },
  );
}

/**
 * Writes the key to a temporary file and then links it to its final name. The key file is therefore either
 * complete or missing, and if two processes create a key, the first one wins.
 */
function makeKey(file: string, random: (size: number) => Uint8Array): Uint8Array {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const made = `${file}.${Buffer.from(random(8)).toString('hex')}.tmp`;
  const key = random(KEY_BYTES);
  const fd = openSync(made, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, OWNER_ONLY);
  try {
    writeSync(fd, key);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  try {
    linkSync(made, file);
    return key;
  } catch (error) {
    const others = errnoOf(error) === 'EEXIST' ? readKey(file) : undefined;
    if (others === undefined) throw error;
    return others;
  } finally {
    unlinkSync(made);
  }
}
