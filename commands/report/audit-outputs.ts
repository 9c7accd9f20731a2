import type { JsonValue, SessionId, SessionStore, StoredEvent } from '../../src/core/index.js';
import { isJsonObject } from '../../src/core/index.js';
import type { AuditFinding } from './audit-findings.js';

/** Matches the file name that `guardOutput` records for a separately stored output. */
const FILE = /^output-[0-9a-f]{64}\.json$/u;

/** Checks the files of large outputs against the digests in the journal. */
export async function auditOutputs(
  events: readonly StoredEvent[],
  store: SessionStore,
  id: SessionId,
): Promise<readonly AuditFinding[]> {
  const findings: AuditFinding[] = [];
  for (const { seq, event } of events) {
    if (event.type !== 'tool-settled' || event.outcome.type !== 'output') continue;
    const kept = event.outcome.metadata?.['kept'];
    const what = await problemOf(kept, (name) => store.capabilities.outputs?.digest(id, name));
    if (what !== undefined) findings.push({ seq, rule: 'G8', what });
  }
  return findings;
}

async function problemOf(
  kept: JsonValue | undefined,
  digestOf: (name: string) => Promise<string | undefined> | undefined,
): Promise<string | undefined> {
  if (kept === undefined || !isJsonObject(kept)) return undefined;
  const { file, sha256 } = kept;
  // A tool may have metadata of that name too; only our own names are files of ours.
  if (typeof file !== 'string' || !FILE.test(file)) return undefined;
  const found = await digestOf(file);
  if (found === undefined) return `cannot read the output in ${file}`;
  return found === sha256 ? undefined : `the output in ${file} differs from the saved output`;
}
