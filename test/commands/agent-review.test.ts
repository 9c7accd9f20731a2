// A reviewer's yes to a call of another agent, after its own review of exactly that call.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { startedIn } from '../../commands/agent/started.js';
import { agentTools, askedAs } from '../../commands/asking/agent-call.js';
import type { AgentName } from '../../commands/asking/agents.js';
import { Questions } from '../../commands/asking/questions.js';
import type { Io } from '../../commands/host/index.js';
import type { Answer, JsonObject, ReviewerActor, RunState } from '../../src/core/index.js';
import { answerProblem, evolve, openInterrupts, questionPlan } from '../../src/core/index.js';
import { openStore, systemClock } from '../../src/library/index.js';
import { AT } from '../helpers/events.js';

const REVIEWER: ReviewerActor = { type: 'reviewer', via: 'command', name: 'policy' };
const LOW = { risk: 'low', authorized: 'high', decision: 'allow', why: 'The user asked for it.' } as const;

/** The session of a question about a call, as if its mode were auto and a reviewer had allowed it. */
async function reviewed(folder: string, agent: AgentName, tool: string, input: JsonObject) {
  const io = { clock: systemClock, env: {}, home: '/home/ann', cwd: folder } as Io;
  const store = openStore();
  const questions = new Questions({
    ...{ store, secret: new Uint8Array(32), clock: systemClock },
    beside: { fileBeside: (id, name) => join(folder, `${id}-${name}`) },
    tools: agentTools(io, startedIn),
  });
  const from = `${agent} in ~/shop`;
  const asked = askedAs({ agent, event: 'PreToolUse', session: '0b1c', folder, tool, input, from });
  const id = await questions.ask({ ...asked, from, connection: '' });
  await using session = await store.open(id, 'read');
  const { agent: model } = session.state;
  const state: RunState = {
    ...session.state,
    cwd: folder,
    ...(model && { agent: { ...model, mode: 'auto' } }),
  };
  const [open] = openInterrupts(state);
  if (open === undefined) throw new Error('nothing is open');
  const review = { by: REVIEWER, policy: 'p', mayAllow: 'high', outcome: { type: 'said', ...LOW } } as const;
  const plan = questionPlan(open) ?? '';
  const told = evolve(state, { type: 'reviewed', id: open.id, digest: open.digest, plan, ...review });
  return { state: told, answer: { id: open.id, digest: open.digest, resolution: YES, by: REVIEWER } };
}

/** What the fold says of an answer. */
function folded(state: RunState, answer: Answer): string | undefined {
  try {
    evolve(state, { type: 'interrupt-resolved', ...answer, resolvedAt: AT });
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

const YES = { action: 'restart' } as const;
const NOT_REVIEWABLE = 'its tool is not `reviewable`';

test.for<readonly [AgentName, string, JsonObject, string]>([
  ['claude-code', 'Bash', { command: 'npm test' }, NOT_REVIEWABLE],
  ['claude-code', 'Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }, NOT_REVIEWABLE],
  ['claude-code', 'Write', { file_path: 'b.txt', content: 'one' }, NOT_REVIEWABLE],
  ['claude-code', 'WebFetch', { url: 'https://docs.example.org/a', prompt: 'sum it up' }, NOT_REVIEWABLE],
  ['claude-code', 'mcp__files__read', { path: 'a.txt' }, NOT_REVIEWABLE],
  ['claude-code', 'NotebookEdit', { notebook_path: 'a.ipynb', new_source: '1' }, NOT_REVIEWABLE],
  ['claude-code', 'Read', { file_path: '/etc/passwd' }, 'it reaches outside the working folder'],
  ['codex', 'Bash', { command: 'npm test' }, NOT_REVIEWABLE],
  ['codex', 'apply_patch', { command: '*** Begin Patch\n*** Delete File: a.txt' }, NOT_REVIEWABLE],
  ['codex', 'mcp__files__read', { path: 'a.txt' }, NOT_REVIEWABLE],
])('a reviewer’s yes does not count for a call of %s by %s', async ([agent, tool, input, why]) => {
  const folder = mkdtempSync(join(tmpdir(), 'hitl-agent-review-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  const { state, answer } = await reviewed(folder, agent, tool, input);
  const refused = expect.stringContaining(`a reviewer cannot decide it: ${why}`);
  expect([answerProblem(state, answer)?.message, folded(state, answer)]).toEqual([refused, refused]);
});
