// Claude Code in a pseudo terminal, in a home of nobody, against a provider on this machine that says what was written down.
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Reply } from './stage.js';
import { Stage } from './stage.js';

const PACKAGES = fileURLToPath(new URL('../../bench/agents/node_modules/', import.meta.url));

/** The version that was counted. */
export const PEER = 'Claude Code 2.1.329';
const BINARY = join(
  process.env['HITL_PEERS'] ?? PACKAGES,
  `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
);

/** The command that starts it, with the first words of a person; absent where it is not installed here. */
export const peerCommand: readonly string[] | undefined = existsSync(BINARY)
  ? [BINARY, '--permission-mode', 'default', '--model', 'claude-sonnet-5-5', 'go']
  : undefined;

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

function streamOf(reply: Reply, at: number): string {
  const tools = reply.tools ?? [];
  const usage = { input_tokens: 10, output_tokens: 1 };
  const role = {
    id: `msg_${at}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5-5',
    content: [],
  };
  const blocks = [
    ...(reply.text === undefined
      ? []
      : [
          [
            { type: 'text', text: '' },
            { type: 'text_delta', text: reply.text },
          ] as const,
        ]),
    ...tools.map(({ name, input }, index) => {
      const begun = { type: 'tool_use', id: `toolu_${at}_${index}`, name, input: {} };
      return [begun, { type: 'input_json_delta', partial_json: JSON.stringify(input) }] as const;
    }),
  ].map(
    ([content_block, delta], index) =>
      event('content_block_start', { index, content_block }) +
      event('content_block_delta', { index, delta }) +
      event('content_block_stop', { index }),
  );
  const stop_reason = tools.length > 0 ? 'tool_use' : 'end_turn';
  return [
    event('message_start', { message: { ...role, stop_reason: null, stop_sequence: null, usage } }),
    ...blocks,
    event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } }),
    event('message_stop', {}),
  ].join('');
}

/** True for a turn of the conversation; what has no tools is for a title or the like. */
const isTurn = (body: string): boolean => (body.match(/"input_schema"/gu)?.length ?? 0) > 2;

/** A folder for it, with a provider of its own. */
export class PeerStage extends Stage {
  #replies: readonly Reply[] = [];
  #port = 0;
  #at = 0;
  readonly #server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => {
      body += piece.toString();
    });
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const reply = isTurn(body) ? this.#replies[this.#at++] : { text: 'ok' };
      response.end(streamOf(reply ?? { text: 'That is all.' }, this.#at));
    });
  });

  constructor() {
    super();
    const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
    const settings = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      projects: { [this.work]: trusted },
      customApiKeyResponses: { approved: ['none'], rejected: [] },
    };
    writeFileSync(join(this.work, '../.claude.json'), JSON.stringify(settings));
  }

  /** The provider replies so from here on. */
  async serve(replies: readonly Reply[]): Promise<void> {
    this.#replies = replies;
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  override get env(): Record<string, string> {
    return {
      ...super.env,
      ANTHROPIC_API_KEY: 'none',
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${this.#port}`,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    };
  }

  override [Symbol.dispose](): void {
    this.#server.close();
    super[Symbol.dispose]();
  }
}
