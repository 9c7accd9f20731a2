export { attachedFiles, attachments, fileOffers } from './attached-files.js';
export { namedText } from './named-text.js';
export { outputForm } from './output-form.js';
export { firstText, readAll } from './first-text.js';
export type { Script } from './script.js';
export { composeScript } from './script.js';
export { answerTooLarge, LARGEST_ENTRY, limitedAnswers, limitedTurns, tooLarge } from './size-limits.js';
export { countedTurns, firstTurn, nothingSaid } from './turns.js';
