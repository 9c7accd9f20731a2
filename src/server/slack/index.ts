export type { SlackDoor } from './slack-route.js';
export { slackClick } from './slack-route.js';
