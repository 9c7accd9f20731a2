// Tells people elsewhere of open questions. It is loaded where somebody sends, and by nobody else.
export { rangesProblem } from './outgoing-address.js';
export type { Channel, Message } from './channel.js';
export type { DeliverOptions, DeliverWorld } from './deliver.js';
export { deliver, deliverOnce } from './deliver.js';
export type { Lookup } from './guarded-request.js';
export type { Post, PostReply, PostRequest } from './post.js';
export { guardedPost } from './post.js';
export type { WebhookOptions } from './webhook.js';
export { keyOf, webhookChannel } from './webhook.js';
export type { SlackOptions, SlackWays, ClickedQuestion } from './slack.js';
export { slackChannel, slackWays, slackWords, readSlackValue, slackValue } from './slack.js';
export type { Mail, MailOptions, SendMail } from './send-mail.js';
export { mailChannel } from './send-mail.js';
