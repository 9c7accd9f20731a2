import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';

/** A server of tools that lets in only who has logged in at it, with the few pages of OAuth that this takes. */
export interface OAuthServer extends AsyncDisposable {
  readonly url: string;
  /** What it was asked, in order: a path each, and the kind of grant. */
  readonly asked: string[];
  /** The keys that count now. */
  readonly keys: Set<string>;
  /** From now on it names another server for logins, and another place where clients are registered. */
  moveTo(issuer: string, registration: string): void;
}

/** Starts such a server. Its tool `leak` prints the key that it was called with. */
export async function startOAuthServer(): Promise<OAuthServer> {
  const asked: string[] = [];
  const keys = new Set<string>();
  const codes = new Map<string, { challenge: string; redirect: string }>();
  const refreshers = new Set<string>();
  let issuer = '';
  let moved: { readonly issuer: string; readonly registration: string } | undefined;
  let lastKey = '';
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'shop', version: '1' }, { capabilities: { tools: {} } });
    const inputSchema = fromJsonSchema<object>({ type: 'object', properties: {} });
    server.registerTool('leak', { description: 'Prints its key.', inputSchema }, () => ({
      content: [{ type: 'text', text: `the key is ${lastKey}` }],
    }));
    return server;
  });
  const given = (): object => {
    const [access_token, refresh_token] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    keys.add(access_token);
    refreshers.add(refresh_token);
    return { access_token, refresh_token, token_type: 'Bearer', expires_in: 3600 };
  };
  const tokens = (form: URLSearchParams): object | undefined => {
    if (form.get('grant_type') === 'refresh_token')
      return refreshers.delete(form.get('refresh_token') ?? '') ? given() : undefined;
    const kept = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    return kept?.challenge === proof && kept.redirect === form.get('redirect_uri') ? given() : undefined;
  };
  const pages = async (request: IncomingMessage): Promise<Response> => {
    const url = new URL(request.url ?? '/', issuer);
    const body = await textOf(request);
    if (url.pathname !== '/mcp') asked.push(url.pathname);
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource'))
      return Response.json({ resource: `${issuer}/mcp`, authorization_servers: [moved?.issuer ?? issuer] });
    if (url.pathname === '/.well-known/oauth-authorization-server')
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: moved?.registration ?? `${issuer}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    if (url.pathname === '/register')
      return Response.json({ ...JSON.parse(body), client_id: 'hitl-1' }, { status: 201 });
    if (url.pathname === '/authorize') {
      const code = randomUUID();
      const redirect = url.searchParams.get('redirect_uri') ?? '';
      codes.set(code, { challenge: url.searchParams.get('code_challenge') ?? '', redirect });
      const back = new URL(redirect);
      back.searchParams.set('code', code);
      back.searchParams.set('state', url.searchParams.get('state') ?? '');
      return new Response(null, { status: 302, headers: { location: back.href } });
    }
    if (url.pathname === '/token') {
      const form = new URLSearchParams(body);
      asked.push(form.get('grant_type') ?? '');
      const said = tokens(form);
      return said === undefined
        ? Response.json({ error: 'invalid_grant' }, { status: 400 })
        : Response.json(said);
    }
    if (url.pathname !== '/mcp') return new Response(null, { status: 404 });
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    if (!keys.has(key))
      return new Response(null, {
        status: 401,
        headers: {
          'www-authenticate': `Bearer resource_metadata="${issuer}/.well-known/oauth-protected-resource/mcp"`,
        },
      });
    lastKey = key;
    const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const method = request.method ?? 'GET';
    return await handler.fetch(new Request(url, { method, headers, ...(method === 'POST' && { body }) }));
  };
  const http = createServer((request, response) => {
    void pages(request).then(async (page) => {
      response.writeHead(page.status, Object.fromEntries(page.headers));
      for await (const chunk of page.body ?? []) response.write(chunk);
      response.end();
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return {
    url: `${issuer}/mcp`,
    asked,
    keys,
    moveTo(to, registration) {
      moved = { issuer: to, registration };
    },
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
