export { channelChecks, sendAgain } from './channel-checks.js';
export { configuredChannels } from './channels.js';
export type { SendingOptions } from './sending.js';
export { beginSending, channelsInForce } from './sending.js';
