import { describe, expect, test } from "vitest";
import { type JournalDriver, JournalError, memoryJournal } from "../../../store/journal/index.ts";
import { failingJournal } from "../../../testing/index.ts";
import { JOURNAL_VERSION } from "../../../wire/index.ts";
import {
  begin,
  breakDown,
  bytesOf,
  cancel,
  delta,
  moveSilently,
  openDesk,
  preview,
  recordsOf,
  rowsOf,
  rowsShown,
  said,
  textEnd,
} from "./test-task.ts";

/** A journal whose writes end when the test says so, one at a time. */
function manualJournal() {
  const inner = memoryJournal();
  const open: (() => void)[] = [];
  const broken: ((error: JournalError) => void)[] = [];
  let rests = 0;
  const driver: JournalDriver = {
    ...inner,
    append: (lines) =>
      new Promise((resolve, reject) => {
        open.push(() => resolve(inner.append(lines)));
        broken.push(reject);
      }),
    rest: async () => {
      rests += 1;
    },
  };
  const turn = async (act: (() => void) | undefined): Promise<void> => {
    act?.();
    for (let hop = 0; hop < 10; hop += 1) await Promise.resolve();
  };
  return {
    driver,
    waiting: () => open.length,
    rests: () => rests,
    succeed: () => {
      broken.shift();
      return turn(open.shift());
    },
    fail: () => {
      open.shift();
      const reject = broken.shift();
      return turn(() => reject?.(full()));
    },
  };
}

const full = () => new JournalError("JOURNAL_FULL", "(memory)", "The disk is full.");
const paths = (shown: readonly { readonly commit: { readonly before: string; readonly after: string } }[]) =>
  shown.map(({ commit }) => `${commit.before} -> ${commit.after}`);

describe("the write path", () => {
  test("L11: a commit is shown, and its effect starts, only once it is durable", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    desk.send(begin());
    expect([desk.shown.length, desk.began.length, journal.waiting()]).toEqual([0, 0, 1]);
    await journal.succeed();
    expect(desk.began).toEqual(["call-0"]);
    expect(desk.shown).toMatchObject([
      {
        seq: 1,
        durable: true,
        commit: {
          cause: { type: "task.start" },
          before: "running.open",
          after: "running.working",
          effects: [{ type: "effect.started", effect: "tool", id: "call-0" }],
        },
      },
    ]);
  });

  test("a commit is shown before its effects start", async () => {
    const desk = openDesk();
    const order: string[] = [];
    desk.gate.onShown(() => order.push(`shown, begun: ${desk.began.length}`));
    desk.send(begin());
    await desk.gate.flushed();
    expect([order, desk.began]).toEqual([["shown, begun: 0"], ["call-0"]]);
  });

  test("L10: an effect that is stopped before its commit is durable never starts", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    desk.send(begin());
    desk.send(cancel);
    await journal.succeed();
    await journal.succeed();
    expect(desk.began).toEqual([]);
    expect(paths(desk.shown)).toEqual(["running.open -> running.working", "running.working -> resumable"]);
  });

  test("what comes while a write is in flight goes into the next write together", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    for (const text of ["a", "b", "c", "d"]) desk.send(said(text));
    await journal.succeed();
    expect(desk.shown.length).toBe(1);
    await journal.succeed();
    expect([desk.shown.length, journal.waiting()]).toEqual([4, 0]);
    expect(desk.shown.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  test("the header is written with the first record, and not again to a journal that has one", async () => {
    const driver = memoryJournal();
    const desk = openDesk(driver);
    expect(await recordsOf(driver)).toEqual([]);
    desk.send(said("a"));
    await desk.gate.close();
    const reopened = memoryJournal({ content: await bytesOf(driver) });
    const again = openDesk(reopened, { lastSeq: 1 });
    again.send(said("b"));
    await again.gate.flushed();
    const records = await recordsOf(reopened);
    expect(records.map(({ seq, kind }) => [seq, kind])).toEqual([
      [0, "header"],
      [1, "commit"],
      [2, "commit"],
    ]);
    expect(records[0]).toEqual({
      seq: 0,
      kind: "header",
      version: JOURNAL_VERSION,
      taskId: "t1",
      createdAt: 500,
    });
  });

  test("a task that is created over the journal of another rests, and that journal stays as it was", async () => {
    const first = memoryJournal();
    const desk = openDesk(first);
    desk.send(said("a"));
    await desk.gate.close();
    const driver = memoryJournal({ content: await bytesOf(first) });
    const other = openDesk(driver);
    other.send(begin());
    await expect(other.gate.flushed()).rejects.toMatchObject({ code: "JOURNAL_EXISTS" });
    expect([other.snapshot().value, other.began]).toEqual(["resumable", []]);
    expect(await bytesOf(driver)).toEqual(await bytesOf(first));
  });

  test("a macrostep that decides nothing makes no commit; the next one's state before is its state after", async () => {
    const desk = openDesk();
    desk.send(begin());
    await desk.gate.flushed();
    desk.send(moveSilently);
    desk.send(cancel);
    await desk.gate.flushed();
    // The machine says that it stopped its effect: that is a decision. A second cancel decides nothing.
    desk.send(cancel);
    await desk.gate.flushed();
    expect(paths(desk.shown)).toEqual([
      "running.open -> running.working",
      "running.working -> running.open",
      "running.open -> resumable",
    ]);
  });

  test("L11: an effect of a macrostep that decides nothing starts in its turn", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    const began: string[] = [];
    desk.gate.release(() => began.push("a"));
    desk.send(moveSilently);
    expect(began).toEqual(["a"]);
    desk.send(said("not durable yet"));
    desk.gate.release(() => began.push("b"));
    desk.send(moveSilently);
    expect(began).toEqual(["a"]);
    await journal.succeed();
    expect(began).toEqual(["a", "b"]);
  });

  test("the record of a commit has its cause without its bulk, and no empty list", async () => {
    const driver = memoryJournal();
    const desk = openDesk(driver);
    desk.send({ type: "task.start", text: "x".repeat(5000), images: ["data:"], at: 7 });
    await desk.gate.flushed();
    const line = (await bytesOf(driver)).toString().split("\n")[1];
    expect(JSON.parse(line ?? "")).toEqual({
      crc: expect.any(String),
      seq: 1,
      kind: "commit",
      at: 7,
      cause: { type: "task.start", at: 7 },
      before: "running.open",
      after: "running.working",
      log: [expect.objectContaining({ type: "message.appended" })],
      effects: [{ type: "effect.started", effect: "tool", id: "call-0" }],
    });
  });

  test("what a listener sets off is shown after what was already in line", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    let acted = false;
    desk.gate.onShown(({ commit }) => {
      if (!acted && commit.cause?.type === "llm.text.delta") {
        acted = true;
        desk.send(delta("c"));
      }
    });
    desk.send(said("in flight"));
    desk.send(delta("a"));
    desk.send(delta("b"));
    await journal.succeed();
    await journal.succeed();
    expect(rowsShown(desk.shown).map(({ text }) => text)).toEqual(["in flight", "abc"]);
  });

  test("what a listener sets off is shown after every other listener was shown what set it off", async () => {
    const desk = openDesk();
    desk.send(delta("a"));
    await desk.gate.flushed();
    desk.gate.onShown(({ commit }) => {
      const [event] = commit.log;
      if (event?.type === "message.grown" && event.text === "b") desk.send(delta("c"));
    });
    const seen: string[] = [];
    desk.gate.onShown(({ commit }) =>
      seen.push(...commit.log.map((event) => ("text" in event ? event.text : ""))),
    );
    desk.send(delta("b"));
    expect(seen).toEqual(["b", "c"]);
  });

  test("a listener that throws is reported, and the others are shown everything", async () => {
    const desk = openDesk();
    desk.gate.onShown(() => {
      throw new Error("mine");
    });
    const seen: number[] = [];
    desk.gate.onShown(({ seq }) => seen.push(seq));
    desk.send(said("a"));
    desk.send(said("b"));
    await desk.gate.flushed();
    expect([seen, desk.errors.length]).toEqual([[1, 2], 2]);
  });

  test("a gate takes one actor", () => {
    const desk = openDesk();
    expect(() => desk.gate.attach({ on: never, subscribe: never, send: never })).toThrow(
      "one gate for each task",
    );
  });
});

const never = (): never => {
  throw new Error("unused");
};

describe("growth of streamed text", () => {
  test("L11: it is shown at once and not recorded; the append and the closing of its row are", async () => {
    const driver = memoryJournal();
    const desk = openDesk(driver);
    desk.send(delta("Hel"));
    await desk.gate.flushed();
    desk.send(delta("lo "));
    desk.send(preview("Hello you"));
    expect(desk.shown.length).toBe(3);
    desk.send(textEnd);
    await desk.gate.flushed();
    const records = await recordsOf(driver);
    expect(records.flatMap((record) => (record.kind === "commit" ? record.log : []))).toEqual([
      { type: "message.appended", message: { ts: 1, type: "say", say: "text", text: "Hel", partial: true } },
      {
        type: "message.amended",
        ts: 1,
        patch: { text: "Hello you", progressStatus: { text: "Hello you" }, partial: false },
      },
    ]);
    expect(rowsOf(records)).toEqual(rowsShown(desk.shown));
  });

  test("L11: behind a commit that is not durable yet, it waits its turn", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    desk.send(delta("a"));
    desk.send(delta("b"));
    expect(desk.shown.length).toBe(0);
    await journal.succeed();
    expect(desk.shown.map(({ seq, commit }) => [seq, commit.log[0]?.type])).toEqual([
      [1, "message.appended"],
      [1, "message.grown"],
    ]);
    expect(journal.waiting()).toBe(0);
  });
});

describe("the end of an effect", () => {
  test("L12: is recorded, and whoever recorded it knows when it is durable", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    const recorded: string[] = [];
    const done = desk.gate
      .record({ callId: "c1", content: [{ type: "text", text: "late" }] })
      .then(() => recorded.push("durable"));
    await Promise.resolve();
    expect(recorded).toEqual([]);
    await journal.succeed();
    await done;
    expect((await recordsOf(journal.driver))[1]).toEqual({
      seq: 1,
      kind: "effect.end",
      at: 1000,
      callId: "c1",
      content: [{ type: "text", text: "late" }],
    });
  });

  test("L12: that could not be recorded is told so, and is written first when the journal works again", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    const end = desk.gate.record({ callId: "c1", content: "uncertain" });
    const rejected = expect(end).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    await journal.fail();
    await rejected;
    const flushed = desk.gate.flushed();
    await journal.succeed();
    await flushed;
    expect((await recordsOf(journal.driver)).map(({ kind }) => kind)).toEqual([
      "header",
      "effect.end",
      "commit",
    ]);
  });
});

describe("when the journal fails", () => {
  test("L11: nothing more is released, the task rests, and that one rest is shown as not durable", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    desk.send(begin());
    desk.send(said("meanwhile"));
    await journal.fail();
    expect(desk.began).toEqual([]);
    expect(desk.snapshot().value).toBe("resumable");
    expect(desk.shown).toMatchObject([
      {
        durable: false,
        seq: 3,
        commit: { cause: { type: "journal.failed" }, before: "running.open", after: "resumable" },
      },
    ]);
    expect(rowsShown(desk.shown)).toEqual(desk.snapshot().context.log.toArray());
    expect(journal.waiting()).toBe(0);
  });

  test("L11: the rest is written first when the journal works again, and everything after it is shown in order", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    desk.send(begin("lost"));
    await journal.fail();
    desk.send(begin("again"));
    expect(desk.began).toEqual([]);
    await journal.succeed();
    expect(desk.began).toEqual(["call-2"]);
    expect(desk.shown.map(({ durable, seq }) => [durable, seq])).toEqual([
      [false, 2],
      [true, 3],
    ]);
    const records = await recordsOf(journal.driver);
    expect(records.map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    expect(rowsOf(records)).toEqual(rowsShown(desk.shown));
  });

  test("L11: it fails again: the task is told again, and rests again", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    desk.send(begin());
    await journal.fail();
    desk.send(begin());
    await journal.fail();
    expect(desk.snapshot().value).toBe("resumable");
    expect(desk.shown.map(({ durable, commit }) => [durable, commit.cause?.type])).toEqual([
      [false, "journal.failed"],
      [false, "journal.failed"],
    ]);
    const flushed = desk.gate.flushed();
    await journal.succeed();
    await flushed;
    expect([desk.shown.length, desk.began]).toEqual([2, []]);
    expect(rowsOf(await recordsOf(journal.driver))).toEqual(rowsShown(desk.shown));
  });

  test("a task that rests already is told once, and what it had decided is shown as not durable", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    desk.send(cancel);
    await journal.succeed();
    desk.send(said("while at rest"));
    await journal.fail();
    const flushed = expect(desk.gate.flushed()).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    await journal.fail();
    await flushed;
    expect(desk.told).toEqual(["Journal (memory): The disk is full."]);
    expect(desk.shown.map(({ durable, commit }) => [durable, commit.cause?.type])).toEqual([
      [true, "task.cancel"],
      [false, "queue.added"],
    ]);
  });

  test("L14: a backlog beyond its limit is a journal that fails, also if the slow write works in the end", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver, { maxBacklog: 3 });
    for (const text of ["a", "b", "c"]) desk.send(said(text));
    await Promise.resolve();
    expect(desk.shown).toEqual([]);
    desk.send(said("d"));
    await Promise.resolve();
    expect(desk.shown).toMatchObject([
      { durable: false, commit: { cause: { type: "journal.failed" }, after: "resumable" } },
    ]);
    expect(desk.shown[0]?.commit.cause).toMatchObject({
      message: expect.stringContaining("maxBacklog is 3"),
    });
    await journal.succeed();
    await journal.succeed();
    await desk.gate.flushed();
    expect(desk.shown.length).toBe(1);
    expect(rowsOf(await recordsOf(journal.driver))).toEqual(rowsShown(desk.shown));
  });

  test("L14: a task that goes on deciding with a backlog of twice its limit is cut off", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver, { maxBacklog: 2 });
    for (const text of ["a", "b", "c", "d", "e", "f"]) {
      desk.send(said(text));
      await Promise.resolve();
    }
    expect(desk.errors).toMatchObject([{ code: "JOURNAL_BACKLOG" }]);
    const rows = desk.shown.length;
    desk.send(said("g"));
    expect(desk.shown.length).toBe(rows);
  });
});

describe("the end of a gate", () => {
  test("close writes what waits and starts nothing", async () => {
    const driver = memoryJournal();
    const desk = openDesk(driver);
    let completed = false;
    desk.gate.commits$.subscribe({ complete: () => (completed = true) });
    desk.send(begin());
    await desk.gate.close();
    expect([desk.shown.length, desk.began, completed]).toEqual([1, [], true]);
    desk.send(said("unheard"));
    await expect(desk.gate.record({ callId: "c", content: [] })).rejects.toMatchObject({
      code: "JOURNAL_CLOSED",
    });
    expect((await recordsOf(driver)).length).toBe(2);
    await desk.gate.close();
  });

  test("close says what could not be written", async () => {
    const desk = openDesk(failingJournal(memoryJournal(), full));
    desk.send(said("a"));
    await expect(desk.gate.close()).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    expect(desk.errors).toEqual([]);
  });

  test("a task that breaks an invariant is reported; what it decided before is kept, what broke it is not", async () => {
    const driver = memoryJournal();
    const desk = openDesk(driver);
    desk.send(said("kept"));
    desk.send(breakDown);
    expect(desk.errors).toMatchObject([{ message: "a broken invariant" }]);
    await desk.gate.close();
    expect(rowsOf(await recordsOf(driver)).map(({ text }) => text)).toEqual(["kept"]);
  });

  test("a task that never began leaves no journal", async () => {
    const driver = memoryJournal();
    const desk = openDesk(driver);
    await desk.gate.flushed();
    await desk.gate.close();
    expect(await recordsOf(driver)).toEqual([]);
  });

  test("a journal is let go of when its task rests, not while it works", async () => {
    const journal = manualJournal();
    const desk = openDesk(journal.driver);
    desk.send(begin());
    await journal.succeed();
    expect(journal.rests()).toBe(0);
    desk.send(cancel);
    await journal.succeed();
    expect(journal.rests()).toBe(1);
  });
});
