import type {
  AgentContext,
  ClientCapabilities,
  PermissionOption,
  SessionUpdate,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { SessionId } from '../../src/core/index.js';
import { fenced, membersOf } from '../../src/core/index.js';
import type { YesNo } from '../seat/at-terminal.js';
import type { Form } from './dialog.js';

/** What an editor said that it can do. */
export type EditorAbilities = Pick<ClientCapabilities, 'elicitation' | 'session'>;

/** One session as an editor shows it. */
export class EditorLink {
  readonly #client: AgentContext;
  readonly #sessionId: SessionId;
  readonly #abilities: EditorAbilities;
  #confirmed = 0;

  constructor(client: AgentContext, sessionId: SessionId, abilities: EditorAbilities) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.#abilities = abilities;
  }

  /** Whether the editor shows forms. */
  get hasForms(): boolean {
    return (this.#abilities.elicitation?.form ?? null) !== null;
  }

  /** Sends updates, in order. What an editor that is gone does not hear is in the journal. */
  update(updates: Iterable<SessionUpdate>): void {
    for (const update of updates)
      this.#client.notify('session/update', { sessionId: this.#sessionId, update }).catch(() => undefined); // the connection is over, which its own signal says
  }

  /** Tells of something beside the conversation; safe text. */
  note(text: string): void {
    const hasNotices = (this.#abilities.session?.notices ?? null) !== null;
    if (hasNotices) this.update([{ sessionUpdate: 'notice', severity: 'info', title: text }]);
    else this.update([ownWords('agent_thought_chunk', text)]);
  }

  /** Tells of something that the person has to read; safe text. */
  say(text: string): void {
    this.update([ownWords('agent_message_chunk', text)]);
  }

  /** Asks a question of our own; everything except a deliberate yes is no. */
  async confirm(message: string, { yes, no }: YesNo, signal: AbortSignal): Promise<boolean> {
    const options: PermissionOption[] = [
      { optionId: 'y', kind: 'allow_once', name: yes },
      { optionId: 'n', kind: 'reject_once', name: no },
    ];
    this.#confirmed += 1;
    const toolCall = { toolCallId: `confirm ${this.#confirmed}`, title: message, kind: 'other' } as const;
    const outcome = membersOf(await this.ask(toolCall, options, signal));
    return !signal.aborted && outcome['outcome'] === 'selected' && outcome['optionId'] === 'y';
  }

  /** Opens a dialog, and closes it where the signal aborts. */
  async ask(toolCall: ToolCallUpdate, options: PermissionOption[], signal: AbortSignal): Promise<unknown> {
    const params = { sessionId: this.#sessionId, toolCall, options };
    const response = await this.#client.request('session/request_permission', params, {
      cancellationSignal: signal,
    });
    return membersOf(response)['outcome'];
  }

  /** Opens a form, and closes it where the signal aborts. */
  async fill({ message, requestedSchema }: Form, toolCallId: string, signal: AbortSignal): Promise<unknown> {
    const params = {
      mode: 'form',
      sessionId: this.#sessionId,
      toolCallId,
      message,
      requestedSchema,
    } as const;
    return this.#client.request('elicitation/create', params, { cancellationSignal: signal });
  }
}

/** Words of the program, which stand apart from those of the model. */
function ownWords(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text: `\n${fenced(text)}\n` } };
}
