export type { TranscriptMessage, TranscriptPart } from './transcript.js';
