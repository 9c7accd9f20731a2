export type { Chat, SayOptions } from './chat.js';
export type { ChatOptions, NewChatOptions, OldChatOptions } from './open-chat.js';
export { openChat } from './open-chat.js';
