import { filter, firstValueFrom } from "rxjs";
import { expect, it } from "vitest";
import { fileJournal, readJournal } from "../../../store/index.ts";
import { Tracer } from "../../../visualize/trace/tracer.ts";
import type { JournalRecord } from "../../../wire/journal/record.ts";
import { openRig, type Rig } from "../../support/host.ts";

const script = "- tool: ask_followup_question\n  input: { question: Which?, follow_up: [{ text: One }] }\n";

/** The recorded causes of the cancels of a task, and the senders that its trace names. */
async function cancelsOf({ dataDir }: Pick<Rig, "dataDir">, taskId: string) {
  const tracer = new Tracer(taskId);
  const cancels: { readonly origin: unknown; readonly from: string }[] = [];
  const driver = fileJournal({ dir: `${dataDir}/tasks/${taskId}` });
  for await (const record of readJournal(driver, { onTail: () => {} })) {
    const { from } = tracer.add(record);
    const cause = record.kind === "commit" ? record.cause : undefined;
    if (cause?.type === "task.cancel") cancels.push({ origin: cause.origin, from });
  }
  return cancels;
}

/** A task that waits for an answer. */
async function waiting(rig: Rig, signal?: AbortSignal): Promise<void> {
  const asked = firstValueFrom(rig.task.asks$.pipe(filter(({ kind }) => kind === "question")));
  rig.task.run("Go", { ...(signal && { signal }) }).catch(() => undefined);
  await asked;
}

it("a cancel of the user is recorded as such", async () => {
  await using rig = await openRig({ script });
  await waiting(rig);
  rig.task.cancel();
  await rig.task.flushed();
  expect(await cancelsOf(rig, rig.task.id)).toEqual([{ origin: "user", from: "user" }]);
});

it("an abort of the signal is recorded as such", async () => {
  await using rig = await openRig({ script });
  const stop = new AbortController();
  await waiting(rig, stop.signal);
  stop.abort();
  await rig.task.flushed();
  expect(await cancelsOf(rig, rig.task.id)).toEqual([{ origin: "signal", from: "signal" }]);
});

it("the end of a host is recorded as such, and not as a cancel of the user", async () => {
  await using rig = await openRig({ script });
  await waiting(rig);
  await rig.host.closeAll();
  expect(await cancelsOf(rig, rig.task.id)).toEqual([{ origin: "close", from: "host" }]);
});

it("an earlier journal doesn't tell who cancelled, and its trace claims nothing", () => {
  const cancelled: JournalRecord = {
    seq: 0,
    kind: "commit",
    at: 1,
    cause: { type: "task.cancel", at: 1 },
    before: "running.calling",
    after: "resumable",
    log: [],
    conversation: [],
    decisions: [],
    turnEnded: false,
    calls: [],
    effects: [],
    reports: [],
  };
  expect(new Tracer("t").add(cancelled).from).toBe("unknown");
});
