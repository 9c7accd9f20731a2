import type { SecretVault, ToolOutcome } from '../core/index.js';
import { HitlError, messageOf } from '../core/index.js';
import type { ToolRun } from './run-tool.js';

/** Takes the secrets that a person typed out of the end of a body: what it returns, asks and throws is kept. */
export function hushed(run: ToolRun, vault: SecretVault): ToolRun {
  switch (run.type) {
    case 'abandoned':
      return run;
    case 'interrupted':
      return { ...run, draft: { ...run.draft, payload: vault.mask(run.draft.payload) } };
    case 'settled': {
      const { outcome, error } = run;
      return {
        ...run,
        outcome: hushedOutcome(outcome, vault),
        ...(error !== undefined && { error: hushedError(error, vault) }),
      };
    }
  }
}

function hushedOutcome(outcome: ToolOutcome, vault: SecretVault): ToolOutcome {
  if (outcome.type === 'error') return { ...outcome, message: vault.maskText(outcome.message) };
  const { output, content, metadata } = outcome;
  return {
    type: 'output',
    output: vault.mask(output),
    ...(content !== undefined && { content: vault.maskParts(content) }),
    ...(metadata !== undefined && { metadata: vault.mask(metadata) }),
  };
}

/** Without its cause where it told a secret: that would bring it back. */
function hushedError(error: unknown, vault: SecretVault): unknown {
  const message = messageOf(error);
  const said = vault.maskText(message);
  return said === message ? error : new HitlError('TOOL_FAILED', said);
}
