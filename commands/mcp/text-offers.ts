import { escapeText } from '../../src/core/index.js';
import type { Offer } from '../../src/human/index.js';
import type { McpServers } from '../../src/tools/mcp/index.js';
import { promptUsage } from './prompt-arguments.js';

const MOST_OFFERS = 50;

/**
 * Returns a function that completes a line with the servers' prompts (`/server:prompt`), and the end of a
 * line with their resources (`@server:uri`).
 */
export function textOffers(servers: Pick<McpServers, 'connections'>): (line: string) => readonly Offer[] {
  return (line) => [...promptOffers(servers, line), ...resourceOffers(servers, line)].slice(0, MOST_OFFERS);
}

function promptOffers({ connections }: Pick<McpServers, 'connections'>, line: string): readonly Offer[] {
  if (!line.startsWith('/') || line.startsWith('//')) return [];
  return connections.flatMap(({ server, texts }) =>
    texts.prompts.flatMap((prompt) => {
      const typed = `/${server.name}:${prompt.name}`;
      if (!typed.startsWith(line) || typed === line) return [];
      const rest = prompt.arguments.length === 0 ? '' : ' ';
      return [
        {
          line: `${typed}${rest}`,
          label: escapeText(promptUsage(server.name, prompt)),
          help: escapeText(prompt.about),
        },
      ];
    }),
  );
}

function resourceOffers({ connections }: Pick<McpServers, 'connections'>, line: string): readonly Offer[] {
  const [, begun] = /(?:^|\s)@([^\s"]+)$/u.exec(line) ?? [];
  if (begun === undefined) return [];
  const head = line.slice(0, line.length - begun.length);
  return connections.flatMap(({ server, texts }) =>
    texts.resources.flatMap(({ uri, about }) => {
      const named = `${server.name}:${uri}`;
      if (!named.startsWith(begun) || named === begun) return [];
      return [{ line: `${head}${named}`, label: `@${escapeText(named)}`, help: escapeText(about) }];
    }),
  );
}
