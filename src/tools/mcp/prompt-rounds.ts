import type { Client, ElicitRequest, ElicitResult, GetPromptResult } from '@modelcontextprotocol/client';
import { HitlError, membersOf } from '../../core/index.js';
import { toJson } from '../to-json.js';
import { elicitationIn } from './input-required.js';
import type { Sdk } from './wire/mcp-sdk.js';

/** The data needed to request a prompt that the user chose. */
interface PromptRounds {
  readonly client: Client;
  readonly sdk: Sdk;
  readonly server: string;
  readonly root: string | undefined;
  readonly timeoutMs: number;
  /** Asks the user who chose the prompt. */
  readonly ask: (params: ElicitRequest['params'], signal: AbortSignal) => Promise<ElicitResult>;
}

/** Maximum number of times a server may ask before it returns a prompt. */
const MOST_ROUNDS = 10;

/**
 * Requests a prompt. If the server asks questions first, the user who chose the prompt answers them.
 * @throws Error, and HitlError TOOL_FAILED, if the server does not return the prompt.
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
