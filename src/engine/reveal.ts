import type { Call, Interrupt, JsonValue, Tool } from '../core/index.js';
import { maskPlaces, SecretVault } from '../core/index.js';

/**
 * The values that a body is given: a call's input, and what a restart passed on, with the secrets that a person typed.
 */
export type Revealed =
  | {
      readonly type: 'whole';
      readonly input: JsonValue;
      readonly resumed?: JsonValue;
      /** The places of secrets in the input; masks stand there in all that is kept and shown. */
      readonly secrets: readonly string[];
    }
  /** They were typed into a process that is gone; `question` is the one that they answered, if it was the tool's own. */
  | { readonly type: 'missing'; readonly places: readonly string[]; readonly question?: Interrupt };

/** A vault for who has none: nothing was typed. */
export const NOTHING_TYPED = new SecretVault();

/** Puts secrets in the place of their masks. A mask that no secret belongs to is none: nothing runs with it. */
export function reveal({ input, resumed, secrets }: Call, tool: Tool, vault = NOTHING_TYPED): Revealed {
  const question = secrets?.resumed?.question;
  const unsaid = secrets?.resumed === undefined ? [] : vault.missing(secrets.resumed);
  if (question !== undefined && unsaid.length > 0) return { type: 'missing', places: unsaid, question };
  const typed = secrets?.input?.at ?? [];
  const masks = maskPlaces(input, tool.inputSchema);
  const gone = secrets?.input === undefined ? [] : vault.missing(secrets.input);
  const missing = [...new Set([...gone, ...masks.filter((place) => !typed.includes(place))])];
  const whole = secrets?.input === undefined ? input : vault.reveal(input, secrets.input);
  if (missing.length > 0 || whole === undefined) return { type: 'missing', places: missing };
  const passedOn =
    resumed === undefined || secrets?.resumed === undefined
      ? resumed
      : vault.reveal(resumed, secrets.resumed);
  return {
    type: 'whole',
    input: whole,
    secrets: typed,
    ...(passedOn !== undefined && { resumed: passedOn }),
  };
}
