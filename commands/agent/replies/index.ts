export { checkProviderTools, providerToolLines } from './provider-tools.js';
export { settingsFor } from './settings.js';
