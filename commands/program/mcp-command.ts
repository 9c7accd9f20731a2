import type { Command } from 'commander';
import { Option } from 'commander';
import { addCommonOptions, addPreviewOptions, addSessionOptions } from '../flags/options.js';
import { collected, valueOf } from '../flags/flag-values.js';
import type { Runs } from './command-parts.js';
import { examples } from './command-parts.js';
import { serveMcp } from '../mcp.js';
import { listServers, testServers } from '../mcp-list.js';
import { addServer, removeServer } from '../mcp-change.js';
import { logIn, logOut } from '../mcp-login.js';

/** Defines `hitl mcp` with its commands: alone it is the server, as its clients start it. */
export function mcpCommand(program: Command, runs: Runs): Command {
  const mcp = program
    .command('mcp')
    .description(
      'the server by which other agents ask you; list, add, remove, test, login, logout: the servers you use',
    )
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
    .option('--ask-in-client', 'ask in the client first, where it has forms; its answer counts then')
    .description('the server itself, on stdin and stdout; `hitl mcp` alone is the same')
    .action(runs(() => serveMcp));
  addPreviewOptions(addCommonOptions(mcp.command('list')))
    .description('the servers that a chat here would start, and where each is named')
    .action(runs(() => listServers));
  addCommonOptions(mcp.command('add'))
    .argument('<name>', 'your name for it; it stands before the names of its tools')
    .argument('<server...>', 'a command with its arguments, behind -- where one begins with -; or an address')
    .addOption(
      new Option('--env <name=value>', 'a variable of the server; ${NAME} is one of mcpEnv').argParser(
        collected,
      ),
    )
    .addOption(new Option('--header <name: value>', 'a header of each request').argParser(collected))
    .description('name a server in your configuration')
    .action(runs(() => addServer));
  addCommonOptions(mcp.command('remove'))
    .argument('<name>', 'a server of your configuration')
    .description('take a server out of your configuration')
    .action(runs(() => removeServer));
  addCommonOptions(mcp.command('test'))
    .argument('[server...]', 'names, commands or addresses; without them, every server that is named')
    .option('--trust', 'trust the servers of the folder as they are now')
    .option('--no-trust', 'as if nothing of the project were trusted')
    .description('start servers and list their tools, what they claim, and the rule that applies')
    .action(runs(() => testServers));
  addCommonOptions(mcp.command('login'))
    .argument('<server>', 'a name of your configuration, or an address')
    .addOption(
      new Option(
        '--port <number>',
        'the port of this machine at which the browser comes back; default: a free one',
      ).argParser(valueOf({ type: 'whole', min: 1, max: 65_535 })),
    )
    .option('--trust', 'trust the servers of the folder as they are now')
    .option('--no-trust', 'as if nothing of the project were trusted')
    .description('log in at a server with your browser; the login is kept for this user alone')
    .action(runs(() => logIn));
  addCommonOptions(mcp.command('logout'))
    .argument('<server>', 'a name of your configuration, or an address')
    .option('--trust', 'trust the servers of the folder as they are now')
    .option('--no-trust', 'as if nothing of the project were trusted')
    .description('forget the login at a server')
    .action(runs(() => logOut));
  return mcp;
}
