import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const { peerDependencies } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../package.json'), 'utf8'),
);

const SERVER = ['hono', '@hono/node-server'];
const MCP = ['@modelcontextprotocol/client', '@modelcontextprotocol/server'];

/**
 * Projects that have packages already: the oldest and the newest that this one says it works beside, as `dependencies`.
 * Those of the Model Context Protocol take a newer zod than the oldest one, and so are in a project of their own.
 * `typescript`: the compiler, as a package that this project develops with.
 */
export function projectsBeside() {
  const client = `${MCP[0]}@${oldest(peerDependencies[MCP[0]])}`;
  const zodOfMcp = JSON.parse(
    execFileSync('npm', ['view', '--json', client, 'dependencies.zod'], { encoding: 'utf8' }),
  );
  return [
    { name: 'oldest', typescript: 'typescript', has: ranges(['zod', 'pg', ...SERVER], oldest) },
    {
      name: 'oldest-mcp',
      typescript: 'typescript-7',
      has: { zod: oldest(zodOfMcp), ...ranges(MCP, oldest) },
    },
    {
      name: 'newest',
      typescript: 'typescript-7',
      has: ranges(['zod', 'pg', ...SERVER, ...MCP], (range) => range),
    },
  ];
}

function ranges(names, of) {
  return Object.fromEntries(names.map((name) => [name, of(peerDependencies[name])]));
}

/** The oldest version of a range. */
function oldest(range) {
  return /\d+\.\d+\.\d+/.exec(range)[0];
}
