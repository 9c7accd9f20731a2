import path from 'node:path';

import type { AgentFingerprint, RunState } from '../../src/core/index.js';
import { digestOf, FIRST_VERSION, isMcpServerName, toWellFormed } from '../../src/core/index.js';

const DIGEST_LENGTH = 16;
const MOST_WORDS = 80;
const MOST_NAMES = 3;
/** The source of tools that every installation has. */
const BUILT_IN = 'built in';

/**
 * Returns the requirements of a session: a digest of the installed parts that its agent uses, followed by a
 * description, for example `3f0c… deploy.ts@3`. A worker can run either all sessions with the same value, or
 * none of them. Returns `undefined` if the agent is unknown.
 */
export function needsOf({ agent, cwd, graph }: RunState): string | undefined {
  if (agent === undefined) return undefined;
  const { modules = [], mcp = [], flow, model, server, tools } = agent;
  const digest = digestOf([
    cwd ?? null,
    model,
    server ?? null,
    [...modules],
    [...mcp],
    flow ?? null,
    graph?.hash ?? null,
    tools.map(({ name, origin, code }) => [name, origin, code ?? null]),
  ]);
  return `${digest.slice(0, DIGEST_LENGTH)} ${wordsFor(agent, graph?.outline?.version)}`;
}

/** Returns the description part of a `needsOf` value, at most 80 characters. The value may be untrusted. */
export function needsWords(needs: string): string {
  return needs.slice(needs.indexOf(' ') + 1).slice(0, MOST_WORDS);
}

/**
 * Describes the parts that an installation may lack, most informative first: files, servers and a program's
 * tools, or otherwise the model.
 */
function wordsFor(
  { modules = [], mcp = [], flow, model, tools }: AgentFingerprint,
  version?: number,
): string {
  const files = modules.map((file) => path.basename(file));
  const servers = mcp.map((name) => (isMcpServerName(name) ? `mcp ${name}` : 'an mcp server'));
  const workflow = flow === undefined ? [] : [`${path.basename(flow)}@${version ?? FIRST_VERSION}`];
  const named = [...workflow, ...files, ...servers];
  const others = tools.filter(({ origin }) => origin !== BUILT_IN).map(({ name }) => name);
  const words = named.length > 0 ? named : others.length > 0 ? others : [model];
  const more = words.length > MOST_NAMES ? ', …' : '';
  const text = `${words.slice(0, MOST_NAMES).join(', ')}${more}`;
  return toWellFormed(text)
    .replaceAll(/\p{Cc}/gu, '\u{fffd}')
    .slice(0, MOST_WORDS);
}
