import * as z from 'zod';

import type { JsonObject, JsonValue, Resolution } from '../../core/index.js';
import { escapeText } from '../../core/index.js';

const Json: z.ZodType<JsonValue> = z.json();
const Patch: z.ZodType<JsonObject> = z.record(z.string(), Json);
const reason = { reason: z.string().exactOptional() };
const metadata = { metadata: Json.exactOptional() };

/** A resolution as JSON. Strict: a misspelt member is an error and not a plain approval. */
const ResolutionSchema: z.ZodType<Resolution> = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('respond'), output: Json, ...metadata }),
  z.strictObject({ action: z.literal('restart'), input: Json.exactOptional(), ...metadata }),
  z.strictObject({ action: z.literal('retry') }),
  z.strictObject({ action: z.literal('reject'), ...reason }),
  z.strictObject({ action: z.literal('cancel'), ...reason }),
  z.strictObject({ action: z.literal('continue') }),
  z.strictObject({ action: z.literal('skip') }),
  z.strictObject({ action: z.literal('rerun'), guidance: z.string().exactOptional() }),
  z.strictObject({
    action: z.literal('go-back'),
    steps: z.int().min(1).max(1000).exactOptional(),
    to: z.string().min(1).exactOptional(),
  }),
  z.strictObject({ action: z.literal('update-state'), patch: Patch }),
  z.strictObject({ action: z.literal('change-condition'), patch: Patch }),
  z.strictObject({ action: z.literal('defer'), note: z.string().min(1) }),
  z.strictObject({ action: z.literal('goto'), node: z.string().min(1) }),
  z.strictObject({ action: z.literal('edit-input'), value: Json }),
  z.strictObject({ action: z.literal('edit-output'), value: Json }),
  z.strictObject({
    action: z.literal('sequence'),
    get actions(): z.ZodArray<z.ZodType<Resolution>> {
      return z.array(ResolutionSchema).min(1).max(20);
    },
  }),
  z.strictObject({ action: z.literal('pause') }),
  z.strictObject({ action: z.literal('extend'), by: z.number().positive() }),
]);

/** A resolution read from JSON, or why it is none. `message` is safe for a terminal. */
export type ReadResolution =
  { readonly ok: true; readonly resolution: Resolution } | { readonly ok: false; readonly message: string };

/** Checks a JSON value that claims to be a resolution. */
export function readResolution(value: unknown): ReadResolution {
  const read = ResolutionSchema.safeParse(value);
  if (read.success) return { ok: true, resolution: read.data };
  return { ok: false, message: read.error.issues.map(lineOf).join('; ') };
}

function lineOf(issue: z.core.$ZodIssue): string {
  const message = issue.message.replace(/^Invalid input: /, '');
  return escapeText(issue.path.length === 0 ? message : `${issue.path.map(String).join('.')}: ${message}`);
}

/** Every action. One that is missing here does not compile. */
const ACTIONS: Readonly<Record<Resolution['action'], true>> = {
  respond: true,
  restart: true,
  retry: true,
  reject: true,
  cancel: true,
  continue: true,
  skip: true,
  rerun: true,
  'go-back': true,
  'update-state': true,
  'change-condition': true,
  defer: true,
  goto: true,
  'edit-input': true,
  'edit-output': true,
  sequence: true,
  pause: true,
  extend: true,
};

/** Other spellings of actions, as workflow libraries write them. */
const SPELLINGS: Readonly<Record<string, Resolution['action']>> = {
  go_back: 'go-back',
  update_state: 'update-state',
  change_condition: 'change-condition',
};

function isAction(word: string): word is Resolution['action'] {
  return Object.hasOwn(ACTIONS, word);
}

/** The action that a word names; `undefined` where it names none. `approve` is not one: what it means depends on the kind. */
export function actionNamed(word: unknown): Resolution['action'] | undefined {
  if (typeof word !== 'string') return undefined;
  if (isAction(word)) return word;
  return Object.hasOwn(SPELLINGS, word) ? SPELLINGS[word] : undefined;
}
