import type { SessionEventType } from '../../src/core/index.js';

/**
 * All event types that this version knows. A file with any other type is reported as written by a newer
 * version.
 */
const KNOWN: Readonly<Record<SessionEventType, true>> = {
  'session-created': true,
  'session-opened': true,
  'approvals-voided': true,
  'approvals-kept': true,
  'history-imported': true,
  'agent-changed': true,
  'message-added': true,
  'context-compacted': true,
  'model-started': true,
  'tool-started': true,
  'tool-settled': true,
  'file-noted': true,
  'interrupt-raised': true,
  'interrupt-escalated': true,
  'interrupt-resolved': true,
  'vote-cast': true,
  reviewed: true,
  'rule-added': true,
  'rule-removed': true,
  'history-rewound': true,
  'run-ended': true,
  'graph-started': true,
  'graph-migrated': true,
  'node-entered': true,
  'node-started': true,
  'node-settled': true,
  'node-failed': true,
  'step-started': true,
  'step-settled': true,
  'op-started': true,
  'op-settled': true,
  'op-failed': true,
  'edge-failed': true,
  'conflict-found': true,
  rewound: true,
  'run-continued': true,
  'inbox-delivered': true,
  'inbox-dropped': true,
  'inbox-settled': true,
  'action-chosen': true,
};

/** Whether this version can process events of this type. */
export function isKnownEvent(type: unknown): boolean {
  return typeof type === 'string' && Object.hasOwn(KNOWN, type);
}
