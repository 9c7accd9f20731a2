import type { SessionId } from '../../src/core/index.js';
import { changesToBeginnings, HitlError, isSessionId } from '../../src/core/index.js';
import { notFound } from '../journal/open-journal.js';

const SHOWN_CANDIDATES = 10;

/**
 * Resolves an id or the start of one to a session.
 * @param ids returns all session ids
 * @throws HitlError SESSION_NOT_FOUND, with the nearest id as a hint; SESSION_AMBIGUOUS; SESSION_ID if no id
 * can start with the text.
 */
export function resolveId(text: string, ids: () => readonly SessionId[]): SessionId {
  if (!isSessionId(text)) {
    throw new HitlError('SESSION_ID', `invalid session id \`${text}\``, {
      hint: 'ids contain a-z, 0-9, - and _, and start with a letter or digit; list sessions: hitl list',
    });
  }
  const all = ids();
  if (all.includes(text)) return text;
  const candidates = all.filter((id) => id.startsWith(text)).sort();
  const [only] = candidates;
  if (only === undefined) throw missing(text, all);
  if (candidates.length > 1) throw ambiguous(text, candidates);
  return only;
}

function ambiguous(text: string, candidates: readonly SessionId[]): HitlError {
  const shown = candidates.slice(0, SHOWN_CANDIDATES);
  const more = candidates.length > shown.length ? ` and ${candidates.length - shown.length} more` : '';
  return new HitlError('SESSION_AMBIGUOUS', `ambiguous session id \`${text}\``, {
    hint: `matches: ${shown.join(', ')}${more}`,
    detail: { candidates: shown, count: candidates.length },
  });
}

function missing(text: string, ids: readonly SessionId[]): HitlError {
  const near = nearest(text, ids);
  if (near === undefined) return notFound(text);
  return new HitlError('SESSION_NOT_FOUND', `session not found: \`${text}\``, {
    hint: `did you mean ${near}?`,
    detail: { nearest: near },
  });
}

/** Returns the id whose start is most similar to the text, if at most a third of the text differs. */
function nearest(text: string, ids: readonly SessionId[]): SessionId | undefined {
  let best: SessionId | undefined;
  let least = Math.floor(text.length / 3);
  for (const id of [...ids].sort().reverse()) {
    const distance = Math.min(...changesToBeginnings(text, id.slice(0, text.length + least)));
    if (distance > least || (best !== undefined && distance === least)) continue;
    best = id;
    least = distance;
  }
  return best;
}
