import type { Actor, Effort, Shown } from '../../src/core/index.js';
import {
  HitlError,
  SESSION_MODES,
  compactionEnd,
  errorFrom,
  escapeText,
  isHitlError,
  joined,
  modeInWords,
  sessionRuleText,
  shown,
} from '../../src/core/index.js';
import { compactNow } from '../../src/engine/index.js';
import { KNOWN_MODELS, listedModel } from '../../src/models/index.js';
import { keep, record } from '../../src/repl/index.js';
import { checkCostLimit, checkEffort, serverName } from '../agent/agent.js';
import { changeMode, checkMode } from '../agent/change-mode.js';
import { chosenModel } from '../agent/choose-model.js';
import { composeModel } from '../agent/model.js';
import { modelWords, nameOf } from '../agent/model-words.js';
import { roomOf } from '../agent/room.js';
import { rulePlace } from '../config/project-place.js';
import { effectiveFlags } from '../config/effective.js';
import type { Mode } from '../flags/mode.js';
import type { Io } from '../host/index.js';
import { personHere, userName } from '../host/index.js';
import type { PersonLine, SlashContext, SlashHandler } from './context.js';

/** Returns the models with known prices, and the context window and price of each. */
export function knownModels(): readonly { readonly value: string; readonly help: string }[] {
  return KNOWN_MODELS.flatMap((id) => {
    const listed = listedModel(id);
    if (listed === undefined) return [];
    const { window, price } = listed;
    const size = window < 1_000_000 ? `${window / 1000}k` : `${window / 1_000_000}M`;
    const help = `${size} context, $${price.input} in, $${price.output} out per 1M tokens`;
    return [{ value: `anthropic:${id}`, help }];
  });
}

/**
 * `/model`: shows the current model and the models with known prices. At an interactive terminal, the user
 * can choose one. With a name, switches to that model, starting with the next request.
 */
export const model: SlashHandler = async (given, context, print) => {
  const spec = given === '' ? await chosenHere(context, print) : given;
  if (spec === undefined) return;
  try {
    await change(spec, context);
  } catch (thrown) {
    if (!isHitlError(thrown) || !context.mode.interactive) throw thrown;
    print(escapeText(thrown.hint === undefined ? thrown.message : `${thrown.message}; ${thrown.hint}`));
  }
};

/**
 * Shows the current model and the other available ones, and returns the model that the user chooses. Returns
 * `undefined` if the user chooses none or the terminal is not interactive.
 */
async function chosenHere(
  { io, flags, session, line }: SlashContext,
  print: (text: Shown) => void,
): Promise<string | undefined> {
  const { agent } = session.state;
  print(agent === undefined ? shown`unknown` : escapeText(modelWords({ ...agent, spec: agent.model })));
  const { config } = await effectiveFlags(io, flags);
  const aliases = Object.entries(config.models ?? {}).map(([value, help]) => ({ value, help }));
  const models = [...aliases, ...knownModels()];
  const rows = models.map(({ value, help }) => `${value.replace(/^anthropic:/u, '')}  ${help}`);
  if (line === undefined) {
    for (const row of rows) print(shown`  ${escapeText(row)}`);
    print(shown`Change it: /model <name>`);
    return undefined;
  }
  return (await chosenOf(models, { message: 'Which model?', rows }, line))?.value;
}

/**
 * Changes the session's model. A server that was specified for the session is also used for the new model.
 */
async function change(
  spec: string,
  { io, flags, mode, session, model: changing, renderer }: SlashContext,
): Promise<void> {
  const { agent } = session.state;
  if (agent === undefined) throw new HitlError('USAGE', 'this session has no model yet');
  const { config } = await effectiveFlags(io, flags);
  const baseUrl = flags.baseUrl ?? agent.server;
  const wanted = { ...flags, model: spec, ...(baseUrl !== undefined && { baseUrl }) };
  const chosen = await chosenModel(io, wanted, { config });
  const made = await composeModel(io, mode, config, chosen);
  checkCostLimit(made, flags);
  checkEffort(made, flags);
  const server = serverName(nameOf(chosen).server);
  const { server: _former, ...rest } = agent;
  const changed = { ...rest, model: chosen.spec, ...(server !== undefined && { server }) };
  changing.change(made);
  await keep([{ type: 'agent-changed', agent: changed }], session, renderer);
}

/**
 * Lets the user choose a row and returns its value. Returns `undefined` if the user chooses none or the
 * terminal does not support drawing.
 */
async function chosenOf<Value>(
  values: readonly Value[],
  offer: Parameters<PersonLine['choose']>[0],
  line: PersonLine | undefined,
): Promise<Value | undefined> {
  const at = await line?.choose(offer);
  return at === undefined ? undefined : values[at];
}

export const LEVELS: readonly Effort[] = ['low', 'medium', 'high', 'max'];

/**
 * `/effort`: shows the reasoning effort and the available levels. At an interactive terminal, the user can
 * choose one. With a level, changes the effort, starting with the next request.
 */
export const effort: SlashHandler = async (wanted, { session, model, renderer, line }, print) => {
  const { agent } = session.state;
  if (wanted === '')
    print(agent?.effort === undefined ? shown`effort: the model’s default` : escapeText(agent.effort));
  const offer = { message: 'Which effort?', rows: LEVELS };
  const level = wanted === '' ? await chosenOf(LEVELS, offer, line) : LEVELS.find((one) => one === wanted);
  if (level === undefined || agent === undefined) {
    if (wanted !== '') print(shown`unknown effort \`${escapeText(wanted)}\``);
    if (wanted !== '' || line === undefined) print(escapeText(`Change it: /effort ${LEVELS.join(' | ')}`));
    return;
  }
  model.choose({ effort: level });
  await keep([{ type: 'agent-changed', agent: { ...agent, effort: level } }], session, renderer);
};

/**
 * `/mode`: shows the approval mode and the available modes. At an interactive terminal, the user can choose
 * one. With a name, changes the mode, starting with the next call.
 * @throws HitlError BAD_INPUT for an unknown mode.
 */
export const mode: SlashHandler = async (name, { io, rules, session, renderer, line }, print) => {
  if (name === '') {
    print(escapeText(rules.modeInWords));
    if (line === undefined)
      print(shown`Change it: ${escapeText(SESSION_MODES.map((one) => `/mode ${one}`).join(' · '))}`);
  }
  const rows = SESSION_MODES.map((one) => modeInWords(one, rulePlace(io)).replace(/^mode /u, ''));
  const wanted =
    name === ''
      ? await chosenOf(SESSION_MODES, { message: 'Which mode?', rows }, line)
      : SESSION_MODES.find((one) => one === name);
  if (wanted === undefined && name === '') return;
  if (wanted === undefined)
    throw new HitlError('BAD_INPUT', `unknown mode \`${name}\``, {
      hint: `valid modes: ${SESSION_MODES.join(', ')}`,
    });
  await checkMode(wanted, rules);
  await changeMode(wanted, { rules, session, keep: (events) => keep(events, session, renderer) });
  print(escapeText(rules.modeInWords));
};

/**
 * `/rules` lists the session's approvals. `/rules remove <tool>` revokes one. Without a tool name, the user
 * can choose one at an interactive terminal.
 * @throws HitlError BAD_INPUT for anything else.
 */
export const rules: SlashHandler = async (argument, { io, session, renderer, mode, line }, print) => {
  const approved = [...new Set(session.state.rules.map(({ tool }) => tool))];
  if (argument === '') {
    const listed = [...new Set(session.state.rules.map((rule) => escapeText(sessionRuleText(rule))))];
    print(listed.length === 0 ? shown`No standing approvals in this session` : joined(listed));
    print(shown`Rules in your configuration: hitl rules`);
    return;
  }
  const [verb, named, ...more] = argument.split(/\s+/u);
  const isOpen = verb === 'remove' && named === undefined && approved.length > 0;
  const offer = { message: 'Which approval?', rows: approved };
  const tool = isOpen ? await chosenOf(approved, offer, line) : named;
  if (isOpen && line !== undefined && tool === undefined) return;
  if (verb === 'remove' && tool !== undefined && more.length === 0 && approved.includes(tool)) {
    await keep([{ type: 'rule-removed', tool, by: actorOf(io, mode) }], session, renderer);
    return;
  }
  const isRemoval = verb === 'remove' && tool !== undefined;
  const message = isRemoval ? `no rule found for \`${tool}\`` : `unknown: \`/rules ${argument}\``;
  throw new HitlError('BAD_INPUT', message, { hint: 'revoke one with `/rules remove <tool>`' });
};

function actorOf(io: Io, { interactive }: Mode): Actor {
  return interactive ? personHere(io, 'terminal') : { type: 'script', name: userName(), via: 'stdin' };
}

/** Time limit for a summary, in milliseconds. */
const SUMMARY_MS = 5 * 60_000;

/**
 * `/compact`: summarizes the conversation so far for the model, with optional instructions about what to
 * keep. The journal still contains the full conversation.
 */
export const compact: SlashHandler = async (keep, context, print) => {
  const { io, flags, session, model, tools, renderer, mode } = context;
  if (compactionEnd(session.state, 0) === undefined) {
    print(shown`Nothing to compact yet`);
    return;
  }
  const before = session.state.compacted;
  const options = { model, tools, clock: io.clock, runId: session.id, room: () => roomOf(flags, model) };
  const run = compactNow(
    session.state,
    options,
    AbortSignal.timeout(SUMMARY_MS),
    keep === '' ? undefined : keep,
  );
  const outcome = await record(run, session, renderer);
  renderer.pause();
  const error =
    outcome.type === 'ended' && outcome.reason.type === 'failed' ? outcome.reason.error : undefined;
  if (error !== undefined && !mode.interactive) throw errorFrom(error);
  if (error !== undefined) print(shown`not compacted: ${escapeText(error.message)}`);
  else if (session.state.compacted === before) print(shown`The model returned no summary; not compacted`);
};
