import * as z from 'zod';
import type { ApiRoute } from '../route.js';

/** Describes routes as OpenAPI 3.1 with JSON Schema. */
export function openApi(routes: readonly ApiRoute[], version: string): object {
  const named = new Map<string, unknown>();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/gu, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, named) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'hitl serve',
      version,
      description: 'Session questions and their answers. Each answer identifies the question that was shown.',
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: Object.fromEntries(named),
    },
  };
}

type Named = Map<string, unknown>;

/** Description of the response that every route sends if the store is unavailable. */
const AWAY =
  'The store is unreachable, or another process holds the session; `Retry-After` says when to retry';

function operation(
  { summary, path, needs, query, headers = {}, body, responses }: ApiRoute,
  named: Named,
): object {
  const parameters = [
    ...[...path.matchAll(/:(\w+)/gu)].map(([, name]) => ({
      ...{ name, in: 'path', required: true },
      schema: { type: 'string' },
    })),
    ...Object.entries<z.ZodType>(query?.shape ?? {}).map(([name, schema]) => ({
      ...{ name, in: 'query' },
      schema: schemaOf(schema, named),
    })),
    ...Object.entries(headers).map(([name, description]) => ({
      ...{ name, in: 'header', description },
      schema: { type: 'string' },
    })),
  ];
  return {
    summary,
    ...(needs !== 'any role' && { description: `Requires the role \`${needs}\`.` }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: { required: true, ...contentOf(body, named) } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, { says, schema, type }]) => [
          status,
          { description: says, ...(schema !== undefined && contentOf(schema, named, type)) },
        ]),
      ),
      401: { description: 'Not signed in' },
      ...(responses[503] === undefined && { 503: { description: AWAY } }),
    },
  };
}

function contentOf(schema: z.ZodType, named: Named, type = 'application/json'): object {
  return { content: { [type]: { schema: schemaOf(schema, named) } } };
}

/** Converts a schema to JSON Schema. Named subschemas become components of the document. */
function schemaOf(schema: z.ZodType, named: Named): unknown {
  const {
    $schema: _dialect,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
  });
  // Parts without a name of their own are counted within one schema; in the document each has a number of its own.
  const names = new Map(
    Object.keys($defs).map((name) => [name, name.startsWith('__') ? `Part${named.size}${name}` : name]),
  );
  const placed = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value).replaceAll(
        /#\/\$defs\/([\w.-]+)/gu,
        (_ref, name: string) => `#/components/schemas/${names.get(name) ?? name}`,
      ),
    );
  for (const [name, part] of Object.entries($defs)) named.set(names.get(name) ?? name, placed(part));
  return placed(rest);
}
