import type * as Acp from '@agentclientprotocol/sdk';

import { HitlError } from '../../core/index.js';

/** The SDK of the Agent Client Protocol. */
export type AcpSdk = typeof Acp;

/**
 * Loads the Agent Client Protocol SDK, which is an optional peer dependency.
 * @throws HitlError BAD_CONFIG if it is not installed.
 */
export async function loadAcpSdk(): Promise<AcpSdk> {
  try {
    return await import('@agentclientprotocol/sdk');
  } catch (cause) {
    throw new HitlError('BAD_CONFIG', 'the Agent Client Protocol requires an optional package', {
      hint: 'install it next to hitl: npm install @agentclientprotocol/sdk@2',
      cause,
    });
  }
}
