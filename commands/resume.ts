import type { Session, SessionId, SessionStore } from '../src/core/index.js';
import { agentChange, HitlError, present } from '../src/core/index.js';
import { composeAgent } from './agent/agent.js';
import { effectiveFlags } from './config/effective.js';
import { attachments } from './input/attached-files.js';
import { firstText } from './input/first-text.js';
import { outputForm } from './input/output-form.js';
import type { Io } from './host/index.js';
import type { Mode } from './flags/mode.js';
import type { AgentFlags, FlowFlags, ReplyFlags, RunFlags } from './flags/options.js';
import { withAgent } from './flags/options.js';
import { modeOf } from './flags/mode.js';
import { latestSession, openStore } from './store/store.js';
import { runSession } from './running/run-session.js';
import { stillRunningLines } from './running/still-running.js';
import { storyLines } from './running/story-lines.js';
import { pickSession } from './store/pick-session.js';

interface ResumeFlags extends FlowFlags, ReplyFlags, AgentFlags {
  readonly last?: boolean;
}

/** `hitl resume`: resumes a session. Open questions are asked first. */
export async function resume(io: Io, given: string | undefined, flags: ResumeFlags): Promise<number> {
  const mode = modeOf(io, flags);
  if (!flags.save)
    throw new HitlError('USAGE', '`--no-save` is for new sessions only', {
      hint: 'leave it out, or start a new session',
    });
  const store = openStore(io, flags);
  const id = await whichSession(io, store, { given, last: flags.last === true, mode, color: flags.color });
  const prompt = await firstText(io, flags);
  return resumeSession(io, withAgent(flags), { store, id, mode, ...(prompt !== undefined && { prompt }) });
}

interface Resuming {
  readonly store: SessionStore;
  readonly id: SessionId;
  readonly mode: Mode;
  readonly prompt?: string;
  /** The session, if it is already open for writing. */
  readonly opened?: Session;
}

/** Opens a session for writing and resumes it. */
export async function resumeSession(
  io: Io,
  given: RunFlags,
  { store, id, mode, prompt, opened }: Resuming,
): Promise<number> {
  const { flags, config } = await effectiveFlags(io, given, mode);
  const output = await outputForm(io, flags);
  await using session = opened ?? (await store.open(id, 'write'));
  const { agent: saved, graph: begun } = session.state;
  if (saved?.flow !== undefined && begun === undefined)
    throw new HitlError('NOTHING_TO_RESUME', 'the session ended before its workflow started', {
      hint: `start it again: hitl run ${saved.flow}`,
    });
  if (output !== undefined && begun !== undefined)
    throw new HitlError(
      'USAGE',
      '`--json-schema` applies to model replies, but this session runs a workflow',
      {
        hint: 'workflow nodes define their own schemas',
      },
    );
  await using agent = await composeAgent(io, flags, mode, {
    id,
    config,
    store,
    ...present({ saved, began: session.state.cwd }),
  });
  const attached = await attachments(io, flags, { prompt, model: agent.model.current });
  return await runSession(io, flags, {
    store,
    session,
    agent,
    mode,
    // Written only together with the first thing that happens: a resume in which nothing happens changes nothing.
    before: agentChange(session.state, agent.fingerprint),
    attached: attached.parts,
    notices: [
      ...agent.notices,
      ...attached.notices,
      ...elsewhere(io, session),
      ...welcome(io, session, mode),
      ...(await stillRunningLines(session)),
    ],
    ...present({ prompt, output }),
  });
}

interface Wanted {
  readonly given: string | undefined;
  readonly last: boolean;
  readonly mode: Mode;
  readonly color: boolean;
}

async function whichSession(
  io: Io,
  store: SessionStore,
  { given, last, mode, color }: Wanted,
): Promise<SessionId> {
  if (given !== undefined) {
    if (last)
      throw new HitlError('USAGE', '`<id>` and `--last` cannot be used together', {
        hint: 'use one of them',
      });
    return await store.resolve(given);
  }
  if (last) return latestSession(store);
  if (mode.interactive) {
    return await pickSession(io, store, { mode, color });
  }
  throw new HitlError('USAGE', 'missing session id', {
    hint: 'hitl resume <id>, or hitl resume --last (see hitl list)',
  });
}

function elsewhere(io: Io, { state }: Session): readonly string[] {
  if (state.cwd === undefined || state.cwd === io.cwd) return [];
  return [`tools run in ${io.cwd}, but the session started in ${state.cwd}`];
}

/** Summarizes the session for a returning user, before any question is asked. */
function welcome(io: Io, { state }: Session, { interactive }: Mode): readonly string[] {
  if (!interactive) return [];
  return storyLines(state, { now: io.clock.now(), columns: io.stderr.columns });
}
