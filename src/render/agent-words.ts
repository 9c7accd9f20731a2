import type { AgentFingerprint } from '../core/index.js';
import { escapeText } from '../core/index.js';

/** Says who goes on: the model, how many tools, and what is done without a question. */
export function agentWords({ model, tools, mode }: AgentFingerprint): string {
  return `${escapeText(model)}, ${tools.length} tools${mode === undefined ? '' : `, mode ${mode}`}`;
}
