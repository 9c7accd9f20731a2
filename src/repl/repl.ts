import type { Actor, Part, RunState, SessionEvent, TurnSource } from '../core/index.js';
import { hasAsked, textPart } from '../core/index.js';
import { nextStep } from '../engine/index.js';
import type { ConversationOptions, Rest } from './conversation.js';
import { converse } from './conversation.js';

/** Options for `repl`: the source of turns, and the options for conversations. */
export interface ReplOptions extends ConversationOptions {
  readonly turns: TurnSource;
  /**
   * Returns a signal for the next piece of work. Ctrl-C aborts it, and the repl then asks for the next turn.
   */
  readonly beginWork: () => AbortSignal;
  /** Runs a slash command. `quit` exits the repl. */
  readonly command: (name: string, argument: string) => Promise<'handled' | 'quit'>;
  /** Author of the turns. Default: unknown. */
  readonly by?: Actor;
  /** Whether to exit after the first turn. Default false. */
  readonly once?: boolean;
  /**
   * Whether to exit when a run fails or the user stops it, instead of asking for the next turn. Default
   * false.
   */
  readonly leaveOnFailure?: boolean;
}

/** The reason that the repl ended. `rest` is the reason that its last conversation stopped. */
export interface ReplEnd {
  readonly why: 'turns-ended' | 'quit' | 'once' | 'waiting' | 'failed' | 'aborted';
  readonly rest?: Rest;
}

/**
 * Asks open questions, then runs user turns until there are no more. When `leave` aborts, the work stops and
 * the repl ends. By then, everything that has happened is durable.
 */
export async function repl(options: ReplOptions, leave: AbortSignal): Promise<ReplEnd> {
  const { session, renderer, run } = options;
  let hasWork = nextStep(session.state, { tools: run.tools, limits: {}, elapsedMs: 0 }).type !== 'done';
  let rest: Rest | undefined;
  let said: readonly SessionEvent[] = [];
  for (;;) {
    if (hasWork) {
      rest = await converse(options, AbortSignal.any([options.beginWork(), leave]), said);
      renderer.stopped(session.state);
      await session.saveTranscript?.();
      const why = leaving(rest, options);
      if (why !== undefined) return { why, rest };
    }
    if (leave.aborted) return end('aborted', rest);
    const next = await nextMessage(options, leave).catch((thrown: unknown) => {
      if (leave.aborted) return 'left' as const;
      throw thrown;
    });
    if (next === 'left') return end('aborted', rest);
    if (next === undefined) return end('turns-ended', rest);
    if (next === 'quit') return end('quit', rest);
    said = [userMessage(next, session.state, options.by)];
    hasWork = true;
  }
}

function end(why: ReplEnd['why'], rest: Rest | undefined): ReplEnd {
  return { why, ...(rest !== undefined && { rest }) };
}

/** The user's next message. */
export interface Said {
  readonly text: string;
  readonly attached?: readonly Part[];
}

/**
 * Returns the event for a user turn. It includes the author, unless the author is already known as a
 * requester.
 */
export function userMessage(
  { text, attached = [] }: Said,
  state: Pick<RunState, 'requesters'> = {},
  by?: Actor,
): SessionEvent {
  const isNew = by?.type === 'person' && !hasAsked(state, by);
  return {
    type: 'message-added',
    message: { role: 'user', content: [textPart(text), ...attached] },
    ...(isNew && { by }),
  };
}

function leaving(
  rest: Rest,
  { once = false, leaveOnFailure = false }: ReplOptions,
): ReplEnd['why'] | undefined {
  if (rest.type === 'waiting') return 'waiting';
  if (leaveOnFailure && rest.reason.type === 'failed') return 'failed';
  if (leaveOnFailure && rest.reason.type === 'aborted') return 'aborted';
  return once ? 'once' : undefined;
}

/** Returns the next user turn that is not a slash command. */
async function nextMessage(options: ReplOptions, leave: AbortSignal): Promise<Said | 'quit' | undefined> {
  for (;;) {
    const turn = await options.turns.next(options.session.state, leave);
    if (turn.type === 'end') return undefined;
    const line = readPromptLine(turn.text);
    if (line.type === 'text') {
      if (line.text.trim() === '') continue;
      return { text: line.text, ...(turn.attached !== undefined && { attached: turn.attached }) };
    } else if ((await options.command(line.name, line.argument)) === 'quit') return 'quit';
  }
}

/** A parsed line from the chat prompt. */
export type PromptLine =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'command'; readonly name: string; readonly argument: string };

/** Parses a line: `/name rest` is a command, and `//text` is text that starts with `/`. */
export function readPromptLine(line: string): PromptLine {
  if (line.startsWith('//')) return { type: 'text', text: line.slice(1) };
  const match = /^\/([a-z][a-z-]*)(?:\s+([^]*))?$/u.exec(line.trimEnd());
  if (match === null) return { type: 'text', text: line };
  return { type: 'command', name: match[1] ?? '', argument: (match[2] ?? '').trim() };
}
