import type { ActionChoice, InboxEvent, Model, ResolutionAction, Situation, Usage } from '../core/index.js';
import { addUsage, maskText, messageOf } from '../core/index.js';
import { choosable } from './action-tools.js';
import type { Said } from './action-tools.js';
import { askModel } from './ask-model.js';
import { promptOf } from './prompt.js';
import { shownState } from './shown-state.js';

// Invariants:
// R1 A person's explicit action is taken as it is; no model is asked (N-2).
// R2 While a question is open, nothing is chosen: approvals and answers are for people (N-2).
// R3 Only an action that was offered, with parameters that fit its schema, comes out; all else is `pause` (N-3, N-4).
// R4 What undoes, leaves out, ends or rewrites waits for a person (N-5).

const ATTEMPTS = 2;
const DEFAULT_ASK_BELOW = 0.6;
const DEFAULT_STATE_BYTES = 10_000;

/** Actions that need confirmation if chosen by a model. */
const DESTRUCTIVE: readonly ResolutionAction[] = [
  'go-back',
  'goto',
  'rerun',
  'skip',
  'cancel',
  'update-state',
];

/** Model and limits for `chooseAction`. */
export interface ReasonerOptions {
  readonly model: Model;
  /**
   * Additional instructions, for example about the purpose of the workflow and the meaning of certain
   * wordings.
   */
  readonly instruction?: string;
  /** Confidence (0 to 1) below which the reasoner asks a clarifying question. Default: 0.6. */
  readonly askBelow?: number;
  /**
   * Actions that run without confirmation although they undo, skip, end or rewrite something. Default: none.
   */
  readonly autoApply?: readonly ResolutionAction[];
  /** Maximum size of the state shown to the model, as JSON. Default 10,000 bytes. */
  readonly maxStateBytes?: number;
  /** Strings to hide from the model, in addition to text that resembles a key (G33). */
  readonly secrets?: readonly string[];
}

type ChosenEvent = Extract<InboxEvent, { readonly type: 'action-chosen' }>;

/**
 * Interprets a message as one action, a clarifying question, or `pause`. Write the event to the journal
 * before acting on it. Rejects only if the signal aborts, with the signal's reason.
 */
export async function chooseAction(
  situation: Situation,
  options: ReasonerOptions,
  signal: AbortSignal,
): Promise<ChosenEvent> {
  signal.throwIfAborted();
  const { message, offered, open } = situation;
  if (message.action !== undefined) {
    const reason = 'the sender specified the action';
    const named = {
      type: 'action',
      resolution: message.action,
      reason,
      confidence: 1,
      confirm: false,
    } as const;
    return chosen(situation, options, { choice: named, attempts: 0 }); // R1
  }
  if (open.length > 0) {
    const why = `a person must answer the open questions: ${open.map(({ id }) => id).join(', ')}`;
    return chosen(situation, options, { choice: { type: 'pause', why }, attempts: 0 }); // R2
  }
  if (choosable(offered).length === 0)
    return chosen(situation, options, {
      choice: { type: 'pause', why: 'no action is available' },
      attempts: 0,
    });
  return chosen(situation, options, await ask(situation, options, signal));
}

interface Answered {
  readonly choice: ActionChoice;
  readonly attempts: number;
  readonly usage?: Usage;
}

function chosen({ message }: Situation, { model }: ReasonerOptions, answered: Answered): ChosenEvent {
  return { type: 'action-chosen', message: message.id, model: model.id, ...answered };
}

async function ask(situation: Situation, options: ReasonerOptions, signal: AbortSignal): Promise<Answered> {
  const { message, point, state, path = [], nodes = [] } = situation;
  const { model, maxStateBytes = DEFAULT_STATE_BYTES, secrets = [], instruction } = options;
  const offered = choosable(situation.offered);
  const shown = state && shownState(state, maxStateBytes, secrets);
  const facts = { text: maskText(message.text, secrets).value, point, shown, path, nodes };
  let usage: Usage | undefined;
  let mistake: string | undefined;
  for (let attempts = 1; ; attempts += 1) {
    const counted = (choice: ActionChoice): Answered => ({
      choice,
      attempts,
      ...(usage !== undefined && { usage }),
    });
    let said: Said;
    try {
      const asked = await askModel(
        model,
        {
          prompt: promptOf(facts, mistake),
          offered,
          ...(instruction !== undefined && { instruction }),
        },
        signal,
      );
      if (asked.usage !== undefined) usage = usage === undefined ? asked.usage : addUsage(usage, asked.usage);
      said = checked(asked.said, situation);
    } catch (thrown) {
      signal.throwIfAborted();
      return counted({ type: 'pause', why: `the model failed: ${messageOf(thrown)}` });
    }
    signal.throwIfAborted();
    if (said.type !== 'bad') return counted(choiceOf(said, options));
    if (attempts === ATTEMPTS)
      return counted({ type: 'pause', why: `no usable answer from the model: ${said.why}` });
    mistake = said.why;
  }
}

/** Checks that the run can perform the chosen action (R3). */
function checked(said: Said, { problemWith }: Situation): Said {
  if (said.type !== 'action') return said;
  const why = problemWith?.(said.resolution);
  return why === undefined ? said : { type: 'bad', why: `${said.resolution.action}: ${why}` };
}

function choiceOf(
  said: Exclude<Said, { readonly type: 'bad' }>,
  { askBelow = DEFAULT_ASK_BELOW, autoApply = [] }: ReasonerOptions,
): ActionChoice {
  const { reason, confidence } = said;
  if (said.type === 'ask') return { type: 'question', question: said.question, reason, confidence };
  const { resolution } = said;
  if (confidence < askBelow) {
    const question = `did you mean \`${resolution.action}\`?`;
    return { type: 'question', question, reason, confidence, suggestion: resolution };
  }
  const confirm = DESTRUCTIVE.includes(resolution.action) && !autoApply.includes(resolution.action); // R4
  return { type: 'action', resolution, reason, confidence, confirm };
}
