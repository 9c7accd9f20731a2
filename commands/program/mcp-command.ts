import type { Command } from 'commander';
import { Option } from 'commander';
import { addSessionOptions, valueOf } from '../flags/index.js';
import type { Runs } from './command-parts.js';
import { examples } from './command-parts.js';

/** Defines `hitl mcp` with its commands: alone it is the server, as its clients start it. */
export function mcpCommand(program: Command, runs: Runs): Command {
  const mcp = program
    .command('mcp')
    .description('ask the people here from another program, over the Model Context Protocol')
    .addHelpText(
      'before',
      examples(['claude mcp add hitl -- hitl mcp', 'codex mcp add hitl -- hitl mcp', 'hitl inbox']),
    );
  addSessionOptions(mcp.command('serve', { isDefault: true }))
    .addOption(
      new Option('--wait <duration>', 'how long a call waits for an answer: 50s, 5m').argParser(
        valueOf({ type: 'duration' }),
      ),
    )
    .description('the server itself, on stdin and stdout; `hitl mcp` alone is the same')
    .action(runs(async () => (await import('../mcp.js')).serveMcp));
  return mcp;
}
