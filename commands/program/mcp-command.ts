import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings';
import { Option } from '@commander-js/extra-typings';
import { addCommonOptions, addPreviewOptions, addSessionOptions } from '../flags/options.js';
import { collected, valueOf } from '../flags/flag-values.js';
import type { Runs } from './command-parts.js';
import { examples } from './command-parts.js';
import { serveMcp } from '../mcp.js';
import { listServers, testServers } from '../mcp-list.js';
import { addServer, removeServer } from '../mcp-change.js';
import { logIn, logOut } from '../mcp-login.js';

/**
 * Defines `hitl mcp` and its subcommands. Without a subcommand, `hitl mcp` runs the server, so that clients
 * can start it with this short command.
 */
export function mcpCommand(program: Command, runs: Runs): CommandUnknownOpts {
  const mcp = program
    .command('mcp')
    .description('Let other agents ask you over MCP, and manage your MCP servers')
    .addHelpText(
      'before',
      examples([
        'claude mcp add hitl -- hitl mcp',
        'hitl mcp add files -- npx -y @modelcontextprotocol/server-filesystem .',
        "hitl mcp add shop https://mcp.example.org/mcp --header 'Authorization: Bearer ${SHOP_KEY}'",
        'hitl mcp test files',
      ]),
    );
  addSessionOptions(mcp.command('serve', { isDefault: true }))
    .addOption(
      new Option('--wait <duration>', 'how long a call waits for an answer: 50s, 5m').argParser(
        valueOf({ type: 'duration' }),
      ),
    )
    .option('--ask-in-client', 'ask in the client first if it supports forms, and accept its answer')
    .description('Run the server on stdin and stdout (same as `hitl mcp`)')
    .action(runs(() => serveMcp));
  addPreviewOptions(addCommonOptions(mcp.command('list')))
    .description('List the servers a chat would start in this folder, and where each is configured')
    .action(runs(() => listServers));
  addCommonOptions(mcp.command('add'))
    .argument('<name>', 'your name for the server; prefix of its tool names')
    .argument('<server...>', 'URL, or command with arguments; put -- first if an argument starts with -')
    .addOption(
      new Option(
        '--env <name=value>',
        'environment variable for the server; ${NAME} reads a variable listed in mcpEnv',
      ).argParser(collected),
    )
    .addOption(new Option('--header <name: value>', 'header to send with each request').argParser(collected))
    .description('Add a server to your configuration')
    .action(runs(() => addServer));
  addCommonOptions(mcp.command('remove'))
    .argument('<name>', 'server in your configuration')
    .description('Remove a server from your configuration')
    .action(runs(() => removeServer));
  addCommonOptions(mcp.command('test'))
    .argument('[server...]', 'names, commands or URLs; default: every configured server')
    .option('--trust', 'trust the folder’s servers in their current state')
    .option('--no-trust', 'treat everything in the project as untrusted')
    .description('Start servers and list their tools, claims and rules')
    .action(runs(() => testServers));
  addCommonOptions(mcp.command('login'))
    .argument('<server>', 'name in your configuration, or a URL')
    .addOption(
      new Option('--port <number>', 'local port that the browser returns to; default: a free one').argParser(
        valueOf({ type: 'whole', min: 1, max: 65_535 }),
      ),
    )
    .option('--trust', 'trust the folder’s servers in their current state')
    .option('--no-trust', 'treat everything in the project as untrusted')
    .description('Log in to a server with your browser (the login is saved for your user only)')
    .action(runs(() => logIn));
  addCommonOptions(mcp.command('logout'))
    .argument('<server>', 'name in your configuration, or a URL')
    .option('--trust', 'trust the folder’s servers in their current state')
    .option('--no-trust', 'treat everything in the project as untrusted')
    .description('Log out of a server')
    .action(runs(() => logOut));
  return mcp;
}
