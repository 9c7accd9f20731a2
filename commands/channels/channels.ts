import * as z from 'zod';

import { assertNever, HitlError, isJsonObject } from '../../src/core/index.js';
import type { Channel, Post } from '../../src/outgoing/index.js';
import type { SlackDoor } from '../../src/server/index.js';
import { mailChannel, rangesProblem, slackChannel, webhookChannel } from '../../src/outgoing/index.js';
import type { Config } from '../settings/settings.js';
import type { Io } from '../host/index.js';
import type { Hidden } from './hidden-value.js';
import { hiddenSchema, secretAt } from './hidden-value.js';

const allow = z
  .array(z.string())
  .default([])
  .refine((ranges) => rangesProblem(ranges) === undefined, {
    error: 'must be a list of addresses and ranges, for example 10.1.0.0/16',
  });

/** Validates a date or time, and converts it to milliseconds since 1970. */
const sinceSchema = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })], {
    error: 'must be a date or timestamp: 2026-11-23, 2026-11-23T12:00:00Z',
  })
  .transform((text) => Date.parse(text))
  .optional();

/** A public URL, or a reference to a secret that contains the URL. */
const addressSchema = z.unknown().transform((given, context) => {
  const read = hiddenSchema.safeParse(given);
  if (read.success) return read.data;
  if (typeof given === 'string' && URL.canParse(given) && /^https?:$/u.test(new URL(given).protocol))
    return given;
  const message = 'must be a URL that starts with https://, or { "env": "NAME" } if it is a secret';
  context.issues.push({ code: 'custom', message, input: undefined });
  return z.NEVER;
});

const webhookSchema = z.strictObject({
  type: z.literal('webhook'),
  url: addressSchema,
  secret: z.preprocess((given) => [given].flat(), z.array(hiddenSchema).min(1).max(4)),
  resolved: z.boolean().default(false),
  since: sinceSchema,
  allow,
});

const slackSchema = z
  .strictObject({
    type: z.literal('slack'),
    url: hiddenSchema.optional(),
    token: hiddenSchema.optional(),
    channel: z.string().max(80).optional(),
    api: z.url({ protocol: /^https$/u }).default('https://slack.com/api'),
    signingSecret: hiddenSchema.optional(),
    team: z
      .string()
      .regex(/^[A-Z0-9]{2,40}$/u, 'must be a workspace ID, for example T0123456789')
      .optional(),
    people: z.record(z.string(), z.string().regex(/^[^\s@,/]{1,80}$/u)).optional(),
    replies: z.array(z.string()).default(['hooks.slack.com']),
    resolved: z.boolean().optional(),
    since: sinceSchema,
    allow,
  })
  .refine(
    ({ url, token, channel }) => (url === undefined) === (token !== undefined && channel !== undefined),
    { error: 'requires either `url`, or `token` and `channel`' },
  )
  .refine(
    ({ signingSecret, team, people }) =>
      signingSecret === undefined || (team !== undefined && people !== undefined),
    { error: '`signingSecret` requires `team` and `people` (the Slack user IDs that may click)' },
  );

const mailSchema = z.strictObject({
  type: z.literal('mail'),
  server: hiddenSchema,
  from: z.string().min(3).max(200),
  to: z.array(z.email()).min(1).max(50),
  resolved: z.boolean().default(false),
  since: sinceSchema,
});

const channelSchema = z.discriminatedUnion('type', [webhookSchema, slackSchema, mailSchema], {
  error: '`type` must be webhook, slack or mail',
});

/** Configured receivers, and the routes that their answers arrive on. */
export interface ConfiguredChannels {
  readonly channels: readonly Channel[];
  readonly slack: readonly SlackDoor[];
}

const NAME = /^[\w-]{1,32}$/u;

/** Returns the configured receivers. @throws HitlError BAD_CONFIG for an unusable one */
export function configuredChannels(
  io: Pick<Io, 'env' | 'cwd' | 'home'>,
  { channels, allowHttp }: Pick<Config, 'channels' | 'allowHttp'>,
  post: Post,
): ConfiguredChannels {
  const all = Object.entries(isJsonObject(channels) ? channels : {}).map(([name, entry]) => {
    if (!NAME.test(name)) throw unusable(name, 'a name is 1 to 32 letters, digits, `-` or `_`');
    const read = channelSchema.safeParse(entry);
    if (!read.success) throw unusable(name, issuesOf(read.error));
    const hidden = (place: Hidden, of: string): string =>
      secretAt(io, place, `the ${of} of the channel \`${name}\``);
    const made = madeOf(name, read.data, { hidden, post, ...(allowHttp !== undefined && { allowHttp }) });
    const { since } = read.data;
    return since === undefined ? made : { ...made, channel: { ...made.channel, since } };
  });
  return {
    channels: all.map(({ channel }) => channel),
    slack: all.flatMap(({ door }) => (door === undefined ? [] : [door])),
  };
}

interface Made {
  readonly channel: Channel;
  readonly door?: SlackDoor;
}

function madeOf(name: string, given: z.infer<typeof channelSchema>, making: Making): Made {
  switch (given.type) {
    case 'webhook':
      return { channel: webhookOf(name, given, making) };
    case 'slack':
      return slackOf(name, given, making);
    case 'mail': {
      const { server, from, to, resolved: tellsResolved } = given;
      const { allowHttp } = making;
      const address = making.hidden(server, 'mail server');
      const options = { name, server: address, from, to, tellsResolved };
      return { channel: mailChannel({ ...options, ...(allowHttp !== undefined && { allowHttp }) }) };
    }
    default:
      return assertNever(given);
  }
}

interface Making {
  readonly hidden: (place: Hidden, of: string) => string;
  readonly post: Post;
  readonly allowHttp?: boolean;
}

function webhookOf(
  name: string,
  { url, secret, resolved: tellsResolved, allow: listed }: z.infer<typeof webhookSchema>,
  { hidden, post }: Making,
): Channel {
  const address = typeof url === 'string' ? url : hidden(url, 'address');
  const secrets = secret.map((one) => hidden(one, 'secret'));
  return webhookChannel({ name, url: address, secrets, tellsResolved, allow: listed }, post);
}

function slackOf(name: string, given: z.infer<typeof slackSchema>, { hidden, post }: Making): Made {
  const { url, token, channel = '', api, signingSecret, team, people, replies, allow: listed } = given;
  const isBot = token !== undefined;
  const to = isBot
    ? ({ type: 'bot', token: hidden(token, 'token'), channel, api } as const)
    : ({ type: 'url', url: url === undefined ? '' : hidden(url, 'address') } as const);
  const hasWayBack = signingSecret !== undefined && team !== undefined && people !== undefined;
  const tellsResolved = given.resolved ?? isBot; // its message changes
  return {
    channel: slackChannel({ name, to, hasWayBack, tellsResolved, allow: listed }, post),
    ...(hasWayBack && {
      door: {
        signingSecret: hidden(signingSecret, 'signing secret'),
        replyHosts: replies,
        post,
        team,
        people,
      },
    }),
  };
}

function issuesOf({ issues }: z.ZodError): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) =>
      [path.map(String).join('.'), message].filter((text) => text !== '').join(': '),
    )
    .join('; ');
}

function unusable(name: string, why: string): HitlError {
  return new HitlError('BAD_CONFIG', `channel \`${name}\`: ${why}`, {
    hint: '{ "type": "webhook", "url": "https://…", "secret": { "env": "NAME" } }; see the guide on hitl serve',
  });
}
