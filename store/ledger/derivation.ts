import { modelName } from "../../machines/task/model-name.ts";
import type { DurableFacts } from "../../machines/task/task.events.ts";
import type { FileWrite } from "../../machines/tool-call/file-write.ts";
import { selectedIntent } from "../../machines/tool-call/intent.ts";
import type { JournalDriver } from "../../ports/journal.ts";
import type { JournalDraft } from "../../wire/journal/record.ts";
import { type JournalTail, readJournal } from "../journal/reader.ts";
import type { LedgerEntry } from "./entry.ts";

/** Maximum number of calls whose result is awaited; of a call beyond, the tool is unknown. */
const CALLS_MAX = 256;

/** The call of a write, by its canonical name. */
interface WritingCall {
  readonly tool: string;
  readonly writes: readonly FileWrite[];
}

/** Derives the entries of a task from its records, in order. */
export class LedgerDerivation {
  #task: string;
  #model: string | null = null;
  #intent: string | null = null;
  /** Records up to this one belong to the task that this one is a fork of. */
  #sharedUntil = 0;
  /** Canonical names of the calls that have started, by their ids. */
  readonly #started = new Map<string, string>();

  constructor(task: string, facts: Partial<DurableFacts> = {}) {
    this.#task = task;
    this.#applyFacts(facts);
  }

  /** The entries of one more record. */
  apply(record: JournalDraft): readonly LedgerEntry[] {
    if (record.kind === "header") {
      this.#task = record.taskId;
      this.#sharedUntil = record.forkedFrom?.seq ?? 0;
    }
    if (record.kind === "header" || record.kind === "version") return [];
    if (record.kind === "commit") this.#applyFacts(record.facts ?? {});
    const writes = record.kind === "commit" ? this.#settled(record) : this.#ended(record);
    if (writes.length === 0 || record.seq <= this.#sharedUntil) return [];
    return writes
      .flatMap(({ tool, writes: files }) => files.map((file) => ({ tool, file })))
      .map(({ tool, file: { path, before, after, lines, git } }, index) => ({
        task: this.#task,
        sequence: record.seq,
        part: index + 1,
        at: record.at,
        intent: this.#intent,
        tool,
        path,
        before,
        after,
        lines: lines ?? null,
        revision: git?.revision ?? null,
        branch: git?.branch ?? null,
        model: this.#model,
      }));
  }

  #applyFacts(facts: Partial<DurableFacts>): void {
    if ("model" in facts) this.#model = facts.model ? modelName(facts.model) : null;
    if (facts.intent !== undefined) this.#intent = selectedIntent(facts.intent) ?? null;
  }

  #settled({ calls = [] }: Extract<JournalDraft, { kind: "commit" }>): readonly WritingCall[] {
    return calls.flatMap((call) => {
      if (call.phase === "running") this.#start(call.callId, call.name);
      if (!("outcome" in call)) return [];
      const { writes } = call.outcome;
      return writes === undefined ? [] : [{ tool: call.name, writes }];
    });
  }

  #ended({ callId, writes }: Extract<JournalDraft, { kind: "effect.end" }>): readonly WritingCall[] {
    return writes === undefined ? [] : [{ tool: this.#started.get(callId) ?? "unknown", writes }];
  }

  #start(callId: string, name: string): void {
    this.#started.set(callId, name);
    const [oldest] = this.#started.keys();
    if (this.#started.size > CALLS_MAX && oldest !== undefined) this.#started.delete(oldest);
  }
}

/** The writes that a journal has, and its unusable end. */
export interface JournalWrites {
  readonly entries: readonly LedgerEntry[];
  readonly tail?: JournalTail;
}

/** Derive all entries of a task from its journal. @throws JournalError as `readJournal` does */
export async function entriesOf(
  task: string,
  driver: Pick<JournalDriver, "path" | "read">,
): Promise<JournalWrites> {
  const derivation = new LedgerDerivation(task);
  const entries: LedgerEntry[] = [];
  let tail: JournalTail | undefined;
  const onTail = (found: JournalTail): void => {
    tail = found;
  };
  for await (const record of readJournal(driver, { onTail }))
    for (const entry of derivation.apply(record)) entries.push(entry);
  return { entries, ...(tail !== undefined && { tail }) };
}
