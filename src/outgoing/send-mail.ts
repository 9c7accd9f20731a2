// Invariants:
// E1 A mail has a line and a link, and the link opens: programs that check links answer nothing.
// E2 What a mail server says is told by its number alone.
// E3 A password and a question leave this machine encrypted, or not at all, unless a person agreed (`core/told/in-the-clear.ts`).
import { setTimeout as sleep } from 'node:timers/promises';
import type { SendOutcome } from '../core/index.js';
import {
  actorName,
  checkClear,
  decidedWords,
  escapeText,
  HitlError,
  isLoopbackHost,
  plainLine,
} from '../core/index.js';
import { oneLineOf } from '../human/index.js';
import type { Channel, Message } from './channel.js';
import { openingOf } from './channel.js';

/** Options for notifying people by email. */
export interface MailOptions {
  readonly name: string;
  /** URL of the mail server, for example `smtps://user:password@mail.example.org`. */
  readonly server: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly tellsResolved: boolean;
  /** Allows sending email unencrypted to another machine. Default: false. */
  readonly allowHttp?: boolean;
}

/** An email to send. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Message ID, the same for every attempt to send the email. */
  readonly messageId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly disableFileAccess: true;
  readonly disableUrlAccess: true;
}

/** Sends one email through a server; rejects with the server's error. */
export type SendMail = (server: string, mail: Mail) => Promise<void>;

/**
 * Creates an email receiver.
 * @throws HitlError BAD_CONFIG for a server without encryption
 */
export function mailChannel(options: MailOptions, sendMail: SendMail = byNodemailer): Channel {
  const { name, tellsResolved } = options;
  const server = encrypted(options);
  return {
    name,
    tellsResolved,
    send: async (message) => {
      try {
        await sendMail(server, mailOf(message, options));
        return { type: 'sent' };
      } catch (thrown) {
        return failureOf(thrown);
      }
    },
  };
}

/**
 * Returns the URL of a mail server, with encryption required (E3). With `smtp`, the server offers encryption
 * in plaintext, so an attacker could remove the offer.
 * @throws HitlError BAD_CONFIG
 */
function encrypted({ name, server, allowHttp }: MailOptions): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:'))
    throw new HitlError('BAD_CONFIG', `channel \`${name}\`: not a valid mail server URL`, {
      hint: 'smtps://user:password@mail.example.org, with special characters percent-encoded',
    });
  const { protocol, host, hostname, searchParams } = url;
  if (protocol === 'smtps:' || allowHttp === true || isLoopbackHost(hostname)) return server;
  const isLoose =
    searchParams.has('ignoreTLS') ||
    searchParams.has('secure') ||
    searchParams.getAll('requireTLS').some((said) => said !== 'true');
  checkClear({ what: 'password and questions', host, hostname, isEncrypted: !isLoose }, allowHttp);
  if (searchParams.has('requireTLS')) return server;
  return `${server}${server.includes('?') ? '&' : '?'}requireTLS=true`;
}

/** Maximum width of the subject, in columns. */
const SUBJECT = 100;

function mailOf(
  { id, item: { session, interrupt }, page, resolved }: Message,
  { from, to }: MailOptions,
): Mail {
  const asked = plainLine(oneLineOf(interrupt), SUBJECT);
  const words = resolved && decidedWords(interrupt, resolved.resolution);
  const line =
    resolved === undefined || words === undefined
      ? `${openingOf(interrupt)}: ${asked}`
      : `${plainLine(actorName(resolved.by), SUBJECT)} ${words.verb} ${plainLine(words.what, SUBJECT)}`;
  const where = page === undefined ? '' : `\n${page}\nOpening the link does not answer anything.\n`;
  return {
    from,
    to,
    subject: `[hitl] ${line}`,
    text: `${line}\n${where}\nIn a terminal: hitl resume ${session} (question ${escapeText(interrupt.id)})\n`,
    messageId: `<${id}@hitl.invalid>`,
    headers: { 'auto-submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const REFUSED = 500;

function failureOf(thrown: unknown): SendOutcome {
  if (thrown instanceof HitlError) return { type: 'failed', why: thrown.message };
  const code: unknown = thrown instanceof Error && 'responseCode' in thrown ? thrown.responseCode : undefined;
  if (typeof code !== 'number') return { type: 'failed', why: 'the mail server is unreachable' };
  return {
    type: 'failed',
    why: `the mail server answered ${code}`,
    ...(code >= REFUSED && { forGood: true }),
  };
}

interface Transport {
  sendMail(mail: Mail): Promise<unknown>;
  close(): void;
}

interface Nodemailer {
  createTransport(server: string): Transport;
}

/** Time limit for one email, in milliseconds. */
const LIMIT_MS = 30_000;

/** Sends an email with the optional `nodemailer` package. */
async function byNodemailer(server: string, mail: Mail): Promise<void> {
  const name = 'nodemailer';
  const exported: unknown = await import(name).catch((cause: unknown) => {
    throw new HitlError(
      'BAD_CONFIG',
      'the package `nodemailer` is not installed: npm install nodemailer@10',
      {
        cause,
      },
    );
  });
  if (!isNodemailer(exported))
    throw new HitlError('BAD_CONFIG', 'the installed version of `nodemailer` is not supported');
  const transport = exported.createTransport(server);
  try {
    await Promise.race([transport.sendMail(mail), late()]);
  } finally {
    transport.close();
  }
}

async function late(): Promise<never> {
  await sleep(LIMIT_MS, undefined, { ref: false });
  throw new Error('no answer in time');
}

function isNodemailer(exported: unknown): exported is Nodemailer {
  return typeof exported === 'object' && exported !== null && 'createTransport' in exported;
}
