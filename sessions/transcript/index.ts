export { transcriptDocument, transcriptText } from './transcript-file.js';
export type { StoppedSession } from './transcript-writer.js';
export { TranscriptWriter } from './transcript-writer.js';
