export { helpColumns } from './help-columns.js';
export { HELP_TOPICS } from './help-topics.js';
export { rootHelp } from './root-help.js';
