import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { TranscriptFile } from "../../../../visualize/trace/transcripts/transcript.ts";

/** The folder of the fixtures: sessions in the formats of other agents, written for these tests. */
export const TRANSCRIPTS = fileURLToPath(new URL("../../../fixtures/transcripts", import.meta.url));

/** The names of the fixtures of text, by which the tests of every format run. */
export const TEXT_FIXTURES = readdirSync(TRANSCRIPTS).filter((name) => /\.jsonl?$/.test(name));

/** A fixture as a file. */
export const fixture = (name: string): TranscriptFile & { readonly content: string } => ({
  name,
  content: readFileSync(path.join(TRANSCRIPTS, name), "utf8"),
});
