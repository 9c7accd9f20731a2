import { open } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join } from 'node:path';
import type { JsonValue, StoredEvent } from '../../src/core/index.js';
import { isJsonObject, sha256 } from '../../src/core/index.js';
import type { AuditFinding } from './audit-findings.js';

/** What `guardOutput` notes of an output that is in a file of its own. */
const FILE = /^output-[0-9a-f]{64}\.json$/u;

/** Checks the files of outputs that were too large for the journal against the digests in it. */
export async function auditOutputs(
  events: readonly StoredEvent[],
  folder: string,
): Promise<readonly AuditFinding[]> {
  const findings: AuditFinding[] = [];
  for (const { seq, event } of events) {
    if (event.type !== 'tool-settled' || event.outcome.type !== 'output') continue;
    const kept = event.outcome.metadata?.['kept'];
    const what = await problemOf(kept, folder);
    if (what !== undefined) findings.push({ seq, rule: 'G8', what });
  }
  return findings;
}

async function problemOf(kept: JsonValue | undefined, folder: string): Promise<string | undefined> {
  if (kept === undefined || !isJsonObject(kept)) return undefined;
  const { file, sha256 } = kept;
  // A tool may have metadata of that name too; only our own names are files of ours.
  if (typeof file !== 'string' || !FILE.test(file)) return undefined;
  const found = await digestOf(join(folder, file));
  if (found === undefined) return `the output in ${file} cannot be read`;
  return found === sha256 ? undefined : `the output in ${file} is not what was kept`;
}

async function digestOf(path: string): Promise<string | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    return sha256(await file.readFile());
  } catch {
    return undefined; // the caller says so
  }
}
