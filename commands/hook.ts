// Invariants:
// H4 Nothing that fails allows a call: the agent hears nothing and decides as it would without a hook, or hears a deny
//    where the person asked for that.
import { escapeText, messageOf, shown } from '../src/core/index.js';
import { isFolder } from '../src/files/index.js';
import { startedIn } from './agent/started.js';
import type { SessionFlags } from './flags/options.js';
import type { AgentName, HookEvent, HookWord } from './asking/agents.js';
import { AGENT_ROWS } from './asking/agents.js';
import { askedPeople } from './hook/asked.js';
import { readEvent } from './hook/event.js';
import { noteHeard } from './hook/heard.js';
import { judged, rulesAbout } from './hook/judged.js';
import { plannedCall, ruledName } from './asking/planned.js';
import { onErrorHere } from './hook/on-error.js';
import { said } from './hook/said.js';
import type { Io } from './host/index.js';
import { inFolder, printJson, tell } from './host/index.js';

interface HookFlags extends SessionFlags {
  /** Milliseconds. */
  readonly wait?: number;
  readonly onError?: 'ask' | 'deny';
}

/**
 * How long to wait for an answer, in milliseconds. This is less than the minute for which agents allow a hook
 * to run.
 */
const WAIT_MS = 55_000;

/**
 * `hitl hook <agent>`: responds to one hook event from an agent, either by applying rules or by asking
 * people.
 */
async function hook(io: Io, agent: AgentName, flags: HookFlags): Promise<number> {
  const event = await readEvent(io, agent);
  noteHeard(io, agent);
  if (event.event === 'unknown') return 0;
  const word =
    event.event === 'broken'
      ? failed(io, flags, 'stdin does not contain a hook event')
      : await wordOn(io, event, flags);
  const text = event.event === 'broken' ? said('PreToolUse', word) : said(event.event, word);
  if (text !== undefined) printJson(io, text, 'line');
  return 0;
}

async function wordOn(io: Io, event: HookEvent, flags: HookFlags): Promise<HookWord> {
  try {
    if (!isFolder(event.folder)) return failed(io, flags, 'the event’s folder does not exist');
    const here = inFolder(io, event.folder);
    const { unanswered, takesAsk } = AGENT_ROWS[event.agent];
    const isDialog = unanswered(event, here) === 'own-dialog';
    const rules = await rulesAbout(here, ruledName(event), flags);
    // Most calls: no rule is about the tool, and the agent asks its own user if it has to.
    if (rules.length === 0 && isDialog && event.event === 'PreToolUse') return { type: 'none' };
    const plan = await plannedCall(here, event, startedIn);
    const rule = judged(plan, rules);
    if (rule.type === 'deny' || rule.type === 'allow') return rule;
    const byRule = rule.type === 'ask' && event.event === 'PreToolUse';
    // It asks its own user then, and its hook asks here at that moment.
    if (byRule && isDialog && takesAsk) return rule;
    const isAsked = event.event === 'PermissionRequest' || (plan.request !== undefined && !isDialog);
    if (!byRule && !isAsked) return { type: 'none' };
    const word = await askedPeople(here, event, flags, flags.wait ?? WAIT_MS);
    // A rule that asks is never less than a question: the agent may not go on by a list of its own.
    return word.type === 'none' && byRule ? { type: 'deny', why: rule.why } : word;
  } catch (thrown) {
    return failed(io, flags, messageOf(thrown));
  }
}

/** H4 */
function failed(io: Io, { onError }: HookFlags, why: string): HookWord {
  tell(io.stderr, shown`hitl hook: ${escapeText(why)}`);
  const isDenied = (onError ?? onErrorHere(io)) === 'deny';
  return isDenied ? { type: 'deny', why: `hitl could not decide: ${why}` } : { type: 'none' };
}

/** `hitl hook claude-code` */
export async function hookOfClaudeCode(io: Io, flags: HookFlags): Promise<number> {
  return hook(io, 'claude-code', flags);
}

/** `hitl hook codex` */
export async function hookOfCodex(io: Io, flags: HookFlags): Promise<number> {
  return hook(io, 'codex', flags);
}
