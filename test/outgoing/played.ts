import type { Post, PostReply, PostRequest } from '../../src/outgoing/index.js';

/** A network in memory: what was posted, and the answers that are given one after the other, the last one for ever. */
export function playedPost(...replies: readonly (PostReply | number | (() => PostReply | number))[]): Post & {
  readonly sent: PostRequest[];
} {
  const sent: PostRequest[] = [];
  const post: Post = async (request) => {
    const next = replies[Math.min(sent.length, replies.length - 1)] ?? 200;
    sent.push(request);
    const reply = typeof next === 'function' ? next() : next;
    return typeof reply === 'number' ? { type: 'answered', status: reply, text: '' } : reply;
  };
  return Object.assign(post, { sent });
}
