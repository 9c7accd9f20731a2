import type { Client, ElicitRequest, ElicitResult, GetPromptResult } from '@modelcontextprotocol/client';
import { HitlError, membersOf } from '../../core/index.js';
import { toJson } from '../to-json.js';
import { elicitationIn } from './input-required.js';
import type { Sdk } from './wire/mcp-sdk.js';

/** Context of a prompt that a person chose. */
interface PromptRounds {
  readonly client: Client;
  readonly sdk: Sdk;
  readonly server: string;
  readonly root: string | undefined;
  readonly timeoutMs: number;
  /** Asks the user who chose it. */
  readonly ask: (params: ElicitRequest['params'], signal: AbortSignal) => Promise<ElicitResult>;
}

/** How often a server may ask before it returns a prompt. */
const MOST_ROUNDS = 10;

/**
 * Requests a prompt; the server's questions go directly to the user who chose it.
 * @throws Error, and HitlError TOOL_FAILED, if the server does not return it.
 */
export async function promptAfterRounds(
  wanted: { readonly name: string; readonly arguments: Record<string, string> },
  { client, sdk, server, root, timeoutMs, ask }: PromptRounds,
  signal: AbortSignal,
): Promise<GetPromptResult> {
  let goesOn = {};
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const options = { signal, timeout: timeoutMs, allowInputRequired: true } as const;
    const result = await client.getPrompt({ ...wanted, ...goesOn }, options);
    if (!sdk.isInputRequiredResult(result)) return result;
    const responses = new Map<string, object>();
    for (const [key, request] of Object.entries(
      membersOf(toJson(result.inputRequests ?? {}, 'what it asks')),
    ))
      responses.set(
        key,
        membersOf(request)['method'] === 'roots/list'
          ? { roots: root === undefined ? [] : [{ uri: root }] }
          : await ask(elicitationIn(server, request), signal),
      );
    const { requestState } = result;
    goesOn = {
      inputResponses: Object.fromEntries(responses),
      ...(requestState !== undefined && { requestState }),
    };
  }
  throw new HitlError('TOOL_FAILED', `server \`${server}\` keeps asking`);
}
