import { beforeAll, describe, expect, test } from "vitest";
import { memoryJournal } from "../../store/index.ts";
import { replayJournal } from "../../store/recovery/replay.ts";
import { random } from "./points.ts";
import { type Journals, type Moment, recordRun, recoverFrom } from "./recorded.ts";
import { wholeLines } from "./records.ts";
import { CHILD_ID, TASK_ID } from "./scenario.ts";

let journals: Journals;
let moments: readonly Moment[];
beforeAll(async () => {
  ({ journals, moments } = await recordRun());
});

/** The journals of a moment, with `more` bytes added to the last written one, or removed if negative. */
function journalsAt({ taskId, sizes }: Moment, more = 0): Journals {
  const parts = [...journals].map(([id, bytes]): [string, Buffer] => [
    id,
    bytes.subarray(0, (sizes.get(id) ?? 0) + (id === taskId ? more : 0)),
  ]);
  return new Map(parts);
}

describe("every prefix of the recorded journals (L11)", () => {
  test("recovers, holds L1-L6, completes and repeats no effect (L12, L16)", async () => {
    expect(moments.length).toBeGreaterThan(90);
    let uncertain = 0;
    for (const moment of moments) {
      const recovery = await recoverFrom(journalsAt(moment));
      expect(recovery.broken, `${moment.taskId}, record ${moment.record}`).toEqual([]);
      uncertain += recovery.uncertain;
    }
    console.log(`${moments.length} prefixes recovered and completed; ${uncertain} uncertain effects`);
    expect(uncertain).toBeGreaterThan(5);
  });

  test("recovers with its last record torn at a random byte", async () => {
    const draw = random(7);
    const drawn = moments.filter(() => draw() < 0.3);
    for (const moment of drawn) {
      const line = wholeLines(journals.get(moment.taskId) ?? Buffer.alloc(0))[moment.record];
      const missing = 1 + Math.floor(draw() * (line?.length ?? 1));
      const recovery = await recoverFrom(journalsAt(moment, -missing));
      expect(recovery.broken, `${moment.taskId}, record ${moment.record}, without ${missing} bytes`).toEqual(
        [],
      );
    }
    console.log(`${drawn.length} torn prefixes recovered and completed`);
    expect(drawn.length).toBeGreaterThan(15);
  });

  test("replays to the same state at each byte of a torn last record", async () => {
    let count = 0;
    for (const taskId of [TASK_ID, CHILD_ID]) {
      const journal = journals.get(taskId) ?? Buffer.alloc(0);
      let at = 0;
      for (const [record, line] of wholeLines(journal).entries()) {
        const whole = await replay(journal.subarray(0, at));
        // Every byte of every eighth record, every 17th byte of the others.
        for (let byte = 1; byte <= line.length; byte += record % 8 === 0 ? 1 : 17) {
          const torn = await replay(journal.subarray(0, at + byte));
          const tail = { kind: "torn", line: record + 1, at, bytes: byte, reason: expect.any(String) };
          expect(torn, `record ${record}, ${byte} bytes`).toEqual(whole && { ...whole, tail });
          count += 1;
        }
        at += line.length + 1;
      }
    }
    console.log(`${count} torn ends read`);
    expect(count).toBeGreaterThan(10_000);
  });
});

test("every prefix of the journals of a task with hooks recovers, completes and starts no call before its hooks (HOOK, L11, L12)", async () => {
  const run = await recordRun(true);
  expect(run.moments.length).toBeGreaterThan(120);
  for (const moment of run.moments) {
    const parts = [...run.journals].map(([id, bytes]): [string, Buffer] => [
      id,
      bytes.subarray(0, moment.sizes.get(id) ?? 0),
    ]);
    const recovery = await recoverFrom(new Map(parts), true);
    expect(recovery.broken, `${moment.taskId}, record ${moment.record}`).toEqual([]);
  }
  console.log(`${run.moments.length} prefixes with hooks recovered and completed`);
});

const replay = async (content: Buffer) => {
  const found = await replayJournal(memoryJournal({ content }));
  if (found === undefined) return undefined;
  const { recorded, ...summary } = found;
  const { log, conversation, ...others } = recorded;
  return { ...summary, ...others, messages: log.length, entries: conversation.length };
};
