import type { ReplySettings } from '../../../src/core/index.js';
import { replySettings } from '../../../src/core/index.js';
import type { RunFlags } from '../../flags/options.js';
import { providerTools } from './provider-tools.js';

type Chosen = Pick<RunFlags, 'effort' | 'thinking' | 'serverTool'>;

/**
 * Returns the reply settings. Each one comes from the flags, the session or the configuration, in this order.
 */
export function settingsFor(flags: Chosen, config: Chosen, saved: ReplySettings = {}): ReplySettings {
  const { providerTools: tools = [], ...settings } = {
    ...said(config),
    ...replySettings(saved),
    ...said(flags),
  };
  return { ...settings, ...(tools.length > 0 && { providerTools: tools }) };
}

function said({ serverTool, ...settings }: Chosen): ReplySettings {
  const named = serverTool === undefined ? {} : { providerTools: providerTools(serverTool) };
  return { ...replySettings(settings), ...named };
}
