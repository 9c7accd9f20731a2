import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Io } from '../host/index.js';
import { askHere, isDumb } from '../screen/index.js';
import { stateFolder } from '../host/index.js';

/** Is there once the tour was offered. */
const MARK = 'tour-offered';

/** True where a person who may not know the program starts it for the first time, at a terminal that can ask. */
export function mayOfferTour(io: Io): boolean {
  const { env, stdin, stdout, stderr } = io;
  const sits = stdin.isTTY && stdout.isTTY && stderr.isTTY;
  if (!sits || (env['CI'] ?? '') !== '' || isDumb(io)) return false;
  const folder = stateFolder(io);
  return !existsSync(join(folder, MARK)) && !existsSync(join(folder, 'sessions'));
}

/** Offers the tour, once; true where the person takes it. */
export async function offersTour(io: Io): Promise<boolean> {
  const folder = stateFolder(io);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, MARK), '', { mode: 0o600 });
  } catch {
    return false; // it could not be offered once only
  }
  const { confirmOne } = await import('../../src/human/seated.js');
  const question = {
    message: 'Shall we take a tour of two minutes?',
    yes: 'take it',
    no: 'not now (hitl demo)',
  };
  return askHere(io, (io.env['NO_COLOR'] ?? '') === '', (context, signal) =>
    confirmOne(context, question, signal),
  );
}
