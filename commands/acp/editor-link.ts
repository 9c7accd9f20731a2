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

/** The capabilities that an editor declared. */
export type EditorAbilities = Pick<ClientCapabilities, 'elicitation' | 'session'>;

/** The connection to an editor for one session. */
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

  /** Whether the editor supports forms. */
  get hasForms(): boolean {
    return (this.#abilities.elicitation?.form ?? null) !== null;
  }

  /**
   * Sends updates in order. If the editor has disconnected, they are not lost, because the journal contains
   * them.
   */
  update(updates: Iterable<SessionUpdate>): void {
    for (const update of updates)
      this.#client.notify('session/update', { sessionId: this.#sessionId, update }).catch(() => undefined); // the connection is over, which its own signal says
  }

  /** Shows a notice outside the conversation. The text must be safe. */
  note(text: string): void {
    const hasNotices = (this.#abilities.session?.notices ?? null) !== null;
    if (hasNotices) this.update([{ sessionUpdate: 'notice', severity: 'info', title: text }]);
    else this.update([ownWords('agent_thought_chunk', text)]);
  }

  /** Shows a message that the user needs to read. The text must be safe. */
  say(text: string): void {
    this.update([ownWords('agent_message_chunk', text)]);
  }

  /** Asks the user to confirm something. Any response other than choosing yes means no. */
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

  /** Opens a dialog, and closes it if the signal aborts. */
  async ask(toolCall: ToolCallUpdate, options: PermissionOption[], signal: AbortSignal): Promise<unknown> {
    const params = { sessionId: this.#sessionId, toolCall, options };
    const response = await this.#client.request('session/request_permission', params, {
      cancellationSignal: signal,
    });
    return membersOf(response)['outcome'];
  }

  /** Opens a form, and closes it if the signal aborts. */
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

/** Formats hitl's own text so that it can be distinguished from the model's. */
function ownWords(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): SessionUpdate {
  return { sessionUpdate, content: { type: 'text', text: `\n${fenced(text)}\n` } };
}
