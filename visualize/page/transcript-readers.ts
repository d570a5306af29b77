/** The readers of other agents' sessions. The built page has them in a file of their own, `embed-transcripts.js`. */
export { readTranscripts } from "../trace/transcripts/read-transcripts.ts";
export { recordsOfTranscript } from "../trace/transcripts/records.ts";
