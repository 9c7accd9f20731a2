import type * as Protocol from '@agentclientprotocol/sdk';

import { HitlError } from '../../core/index.js';

/** The used part of the protocol's package. */
export type Sdk = Pick<typeof Protocol, 'client' | 'PROTOCOL_VERSION' | 'RequestError'>;

/**
 * Loads the package of the protocol, an optional peer dependency.
 * @throws HitlError BAD_CONFIG if it is not installed.
 */
export async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@agentclientprotocol/sdk');
  } catch (cause) {
    throw new HitlError('BAD_CONFIG', 'agents of the Agent Client Protocol need an optional package', {
      hint: 'install it next to hitl: npm install @agentclientprotocol/sdk@2',
      cause,
    });
  }
}
