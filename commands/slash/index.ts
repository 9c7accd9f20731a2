export { slashCompletions } from './names.js';
export { runSlash } from './slash.js';
