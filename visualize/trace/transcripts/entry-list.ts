import { DEPTH_MAX, isDeeper, type JsonLine } from "./json-fields.ts";
import type { TranscriptEntry, TranscriptEvent, TranscriptProblem } from "./transcript.ts";

/** The entries of a session while its file is read. */
export class EntryList {
  readonly entries: TranscriptEntry[] = [];
  readonly problems: TranscriptProblem[] = [];
  /** The time of the next entry: of the newest record that has one. */
  at = 0;

  add(event: TranscriptEvent, at = this.at): void {
    this.entries.push({ at, ...event });
  }

  /** A record that no reader interprets. */
  addRaw(type: unknown, value: unknown): void {
    const json = isDeeper(value, DEPTH_MAX) ? "(too deep)" : JSON.stringify(value);
    this.add({ kind: "raw", type: typeof type === "string" ? type : "record", json });
  }

  /** A part of the file that was not read. It is shown where it is. */
  addProblem({ where, problem }: Extract<JsonLine, { readonly problem: string }>): void {
    this.problems.push({ where, what: problem });
    this.add({ kind: "raw", type: "unreadable", json: `${where}: ${problem}` });
  }
}
