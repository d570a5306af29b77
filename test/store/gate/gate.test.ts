import { describe, expect, test } from "vitest";
import type { JournalDriver } from "../../../ports/journal.ts";
import { JournalError } from "../../../store/journal/error.ts";
import { memoryJournal } from "../../../store/journal/memory.ts";
import { failingJournal } from "../../../testing/index.ts";
import { JOURNAL_VERSION, type JournalDraft } from "../../../wire/journal/record.ts";
import { contentWith, header, commit as record } from "../../testing/conformance.ts";
import {
  bytesOf,
  cancel,
  createTestTask,
  delta,
  failInvariant,
  messagesOf,
  moveSilently,
  preview,
  publishedMessages,
  queued,
  recordsOf,
  start,
  textEnd,
} from "./test-task.ts";

/** Create a journal whose writes settle one at a time, on command. */
function manualJournal() {
  const inner = memoryJournal();
  const open: (() => void)[] = [];
  const rejections: ((error: JournalError) => void)[] = [];
  let releases = 0;
  const driver: JournalDriver = {
    ...inner,
    append: (lines) =>
      new Promise((resolve, reject) => {
        open.push(() => resolve(inner.append(lines)));
        rejections.push(reject);
      }),
    release: async () => {
      releases += 1;
    },
  };
  const settle = async (act: (() => void) | undefined): Promise<void> => {
    act?.();
    for (let hop = 0; hop < 10; hop += 1) await Promise.resolve();
  };
  return {
    driver,
    waiting: () => open.length,
    releases: () => releases,
    succeed: () => {
      rejections.shift();
      return settle(open.shift());
    },
    fail: () => {
      open.shift();
      const reject = rejections.shift();
      return settle(() => reject?.(full()));
    },
  };
}

const WRITE = { path: "a", before: null, after: "0".repeat(64), lines: [] };
const full = () => new JournalError("JOURNAL_FULL", "(memory)", "The disk is full.");
const paths = (
  published: readonly { readonly commit: { readonly before: string; readonly after: string } }[],
) => published.map(({ commit }) => `${commit.before} -> ${commit.after}`);

describe("the write path", () => {
  test("L11: a commit is published, and its effect starts, once it is durable", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    task.send(start());
    expect([task.published.length, task.started.length, journal.waiting()]).toEqual([0, 0, 1]);
    await journal.succeed();
    expect(task.started).toEqual(["call-0"]);
    expect(task.published).toMatchObject([
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

  test("a commit is published before its effects start", async () => {
    const task = createTestTask();
    const order: string[] = [];
    task.gate.onCommit(() => order.push(`published, started: ${task.started.length}`));
    task.send(start());
    await task.gate.flushed();
    expect([order, task.started]).toEqual([["published, started: 0"], ["call-0"]]);
  });

  test("L10: an effect that is stopped before its commit is durable never starts", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    task.send(start());
    task.send(cancel);
    await journal.succeed();
    await journal.succeed();
    expect(task.started).toEqual([]);
    expect(paths(task.published)).toEqual([
      "running.open -> running.working",
      "running.working -> resumable",
    ]);
  });

  test("commits that wait for a write share the next write", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    for (const text of ["a", "b", "c", "d"]) task.send(queued(text));
    await journal.succeed();
    expect(task.published.length).toBe(1);
    await journal.succeed();
    expect([task.published.length, journal.waiting()]).toEqual([4, 0]);
    expect(task.published.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  test("the header is written once, with the first record", async () => {
    const driver = memoryJournal();
    const task = createTestTask(driver);
    expect(await recordsOf(driver)).toEqual([]);
    task.send(queued("a"));
    await task.gate.close();
    const reopened = memoryJournal({ content: await bytesOf(driver) });
    const again = createTestTask(reopened, { lastSeq: 1 });
    again.send(queued("b"));
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

  test("a journal of an earlier version gets one version record, in the write of its first commit", async () => {
    const old = memoryJournal({ content: contentWith({ ...header, version: 2 }, record(1)) });
    const appended: (readonly string[])[] = [];
    const failing = failingJournal(old, (write) => (write === 1 ? full() : undefined));
    const driver: JournalDriver = {
      ...failing,
      append: (lines, options) => {
        appended.push(lines);
        return failing.append(lines, options);
      },
    };
    const task = createTestTask(driver, { lastSeq: 1, version: 2 });
    await task.gate.flushed();
    expect(appended).toEqual([]);
    task.send(queued("a"));
    await task.gate.flushed().catch(() => undefined);
    await task.gate.flushed();
    task.send(queued("b"));
    await task.gate.close();
    const records = await recordsOf(old);
    expect(records.map(({ seq, kind }) => [seq, kind])).toEqual([
      [0, "header"],
      [1, "commit"],
      [2, "version"],
      ...records.slice(3).map((_, index) => [index + 3, "commit"]),
    ]);
    expect(records[2]).toEqual({ seq: 2, kind: "version", at: 1000, version: JOURNAL_VERSION });
    for (const lines of appended.slice(0, 2))
      expect(lines.slice(0, 2).map((line) => JSON.parse(line).seq)).toEqual([2, 3]);
    expect(task.published.find(({ durable }) => durable)?.seq).toBe(5);
  });

  test("a task that is created over the journal of another settles, and the journal stays unchanged", async () => {
    const first = memoryJournal();
    const task = createTestTask(first);
    task.send(queued("a"));
    await task.gate.close();
    const driver = memoryJournal({ content: await bytesOf(first) });
    const other = createTestTask(driver);
    other.send(start());
    await expect(other.gate.flushed()).rejects.toMatchObject({ code: "JOURNAL_EXISTS" });
    expect([other.snapshot().value, other.started]).toEqual(["resumable", []]);
    expect(await bytesOf(driver)).toEqual(await bytesOf(first));
  });

  test("an empty macrostep makes no commit; the next commit begins in its state", async () => {
    const task = createTestTask();
    task.send(start());
    await task.gate.flushed();
    task.send(moveSilently);
    task.send(cancel);
    await task.gate.flushed();
    // The first cancel stops the effect, which is a commit; the second has no effect.
    task.send(cancel);
    await task.gate.flushed();
    expect(paths(task.published)).toEqual([
      "running.open -> running.working",
      "running.working -> running.open",
      "running.open -> resumable",
    ]);
  });

  test("L11: an effect of an empty macrostep starts after the commits before it", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    const started: string[] = [];
    task.gate.release(() => started.push("a"));
    task.send(moveSilently);
    expect(started).toEqual(["a"]);
    task.send(queued("not durable yet"));
    task.gate.release(() => started.push("b"));
    task.send(moveSilently);
    expect(started).toEqual(["a"]);
    await journal.succeed();
    expect(started).toEqual(["a", "b"]);
  });

  test("the record of a commit has a compact cause and no empty list", async () => {
    const driver = memoryJournal();
    const task = createTestTask(driver);
    task.send({ type: "task.start", text: "x".repeat(5000), images: ["data:"], at: 7 });
    await task.gate.flushed();
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

  test("a commit that a listener causes is published after those that wait", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    let acted = false;
    task.gate.onCommit(({ commit }) => {
      if (!acted && commit.cause?.type === "llm.text.delta") {
        acted = true;
        task.send(delta("c"));
      }
    });
    task.send(queued("in flight"));
    task.send(delta("a"));
    task.send(delta("b"));
    await journal.succeed();
    await journal.succeed();
    expect(publishedMessages(task.published).map(({ text }) => text)).toEqual(["in flight", "abc"]);
  });

  test("a commit that a listener causes reaches all listeners after its cause", async () => {
    const task = createTestTask();
    task.send(delta("a"));
    await task.gate.flushed();
    task.gate.onCommit(({ commit }) => {
      const [event] = commit.log;
      if (event?.type === "message.grown" && event.text === "b") task.send(delta("c"));
    });
    const seen: string[] = [];
    task.gate.onCommit(({ commit }) =>
      seen.push(...commit.log.map((event) => ("text" in event ? event.text : ""))),
    );
    task.send(delta("b"));
    expect(seen).toEqual(["b", "c"]);
  });

  test("an error of a listener is reported, and the other listeners get all commits", async () => {
    const task = createTestTask();
    task.gate.onCommit(() => {
      throw new Error("mine");
    });
    const seen: number[] = [];
    task.gate.onCommit(({ seq }) => seen.push(seq));
    task.send(queued("a"));
    task.send(queued("b"));
    await task.gate.flushed();
    expect([seen, task.errors.length]).toEqual([[1, 2], 2]);
  });

  test("a gate attaches one actor", () => {
    const task = createTestTask();
    expect(() => task.gate.attach({ on: never, subscribe: never, send: never })).toThrow("Create one gate");
  });
});

const never = (): never => {
  throw new Error("unused");
};

describe("streamed text", () => {
  test("L11: is published at once; only the first and the final message are recorded", async () => {
    const driver = memoryJournal();
    const task = createTestTask(driver);
    task.send(delta("Hel"));
    await task.gate.flushed();
    task.send(delta("lo "));
    task.send(preview("Hello you"));
    expect(task.published.length).toBe(3);
    task.send(textEnd);
    await task.gate.flushed();
    const records = await recordsOf(driver);
    expect(records.flatMap((record) => (record.kind === "commit" ? record.log : []))).toEqual([
      { type: "message.appended", message: { ts: 1, type: "say", say: "text", text: "Hel", partial: true } },
      {
        type: "message.amended",
        ts: 1,
        patch: { text: "Hello you", progressStatus: { text: "Hello you" }, partial: false },
      },
    ]);
    expect(messagesOf(records)).toEqual(publishedMessages(task.published));
  });

  test("L11: waits behind a commit that is not durable", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    task.send(delta("a"));
    task.send(delta("b"));
    expect(task.published.length).toBe(0);
    await journal.succeed();
    expect(task.published.map(({ seq, commit }) => [seq, commit.log[0]?.type])).toEqual([
      [1, "message.appended"],
      [1, "message.grown"],
    ]);
    expect(journal.waiting()).toBe(0);
  });
});

describe("the result of an effect", () => {
  test("L12: is recorded, and the call resolves once it is durable", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    const recorded: string[] = [];
    const done = task.gate
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

  test("L12: rejects if its write fails, and is written first when the journal works again", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    const recorded = task.gate.record({ callId: "c1", content: "uncertain" });
    const rejected = expect(recorded).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    await journal.fail();
    await rejected;
    const flushed = task.gate.flushed();
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
  test("L11: no effect starts, the task settles, and one commit is published as not durable", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    task.send(start());
    task.send(queued("meanwhile"));
    await journal.fail();
    expect(task.started).toEqual([]);
    expect(task.snapshot().value).toBe("resumable");
    expect(task.published).toMatchObject([
      {
        durable: false,
        seq: 3,
        commit: { cause: { type: "journal.failed" }, before: "running.open", after: "resumable" },
      },
    ]);
    expect(publishedMessages(task.published)).toEqual(task.snapshot().context.log.toArray());
    expect(journal.waiting()).toBe(0);
  });

  test("L11: the backlog is written first when the journal works again, and later commits are published in order", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    task.send(start("lost"));
    await journal.fail();
    task.send(start("again"));
    expect(task.started).toEqual([]);
    await journal.succeed();
    expect(task.started).toEqual(["call-2"]);
    expect(task.published.map(({ durable, seq }) => [durable, seq])).toEqual([
      [false, 2],
      [true, 3],
    ]);
    const records = await recordsOf(journal.driver);
    expect(records.map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    expect(messagesOf(records)).toEqual(publishedMessages(task.published));
  });

  test("L11: a second failure notifies the task, which settles again", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    task.send(start());
    await journal.fail();
    task.send(start());
    await journal.fail();
    expect(task.snapshot().value).toBe("resumable");
    expect(task.published.map(({ durable, commit }) => [durable, commit.cause?.type])).toEqual([
      [false, "journal.failed"],
      [false, "journal.failed"],
    ]);
    const flushed = task.gate.flushed();
    await journal.succeed();
    await flushed;
    expect([task.published.length, task.started]).toEqual([2, []]);
    expect(messagesOf(await recordsOf(journal.driver))).toEqual(publishedMessages(task.published));
  });

  test("a task at rest is notified once, and its commits are published as not durable", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    task.send(cancel);
    await journal.succeed();
    task.send(queued("while at rest"));
    await journal.fail();
    const flushed = expect(task.gate.flushed()).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    await journal.fail();
    await flushed;
    expect(task.failures).toEqual(["Journal (memory): The disk is full."]);
    expect(task.published.map(({ durable, commit }) => [durable, commit.cause?.type])).toEqual([
      [true, "task.cancel"],
      [false, "queue.added"],
    ]);
  });

  test("L14: a backlog over its limit fails the journal, also if the slow write succeeds later", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver, { maxBacklog: 3 });
    for (const text of ["a", "b", "c"]) task.send(queued(text));
    await Promise.resolve();
    expect(task.published).toEqual([]);
    task.send(queued("d"));
    await Promise.resolve();
    expect(task.published).toMatchObject([
      { durable: false, commit: { cause: { type: "journal.failed" }, after: "resumable" } },
    ]);
    expect(task.published[0]?.commit.cause).toMatchObject({
      message: expect.stringContaining("at most 3 waiting commits"),
    });
    await journal.succeed();
    await journal.succeed();
    await task.gate.flushed();
    expect(task.published.length).toBe(1);
    expect(messagesOf(await recordsOf(journal.driver))).toEqual(publishedMessages(task.published));
  });

  test("L14: a backlog over twice its limit closes the gate", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver, { maxBacklog: 2 });
    for (const text of ["a", "b", "c", "d", "e", "f"]) {
      task.send(queued(text));
      await Promise.resolve();
    }
    expect(task.errors).toMatchObject([{ code: "JOURNAL_BACKLOG" }]);
    const messages = task.published.length;
    task.send(queued("g"));
    expect(task.published.length).toBe(messages);
  });
});

describe("onRecord", () => {
  test("gets each record once, in order, when it is durable: also of a failed write, and while the gate closes", async () => {
    const journal = manualJournal();
    const records: JournalDraft[] = [];
    const task = createTestTask(journal.driver, { onRecord: (record) => records.push(record) });
    task.send(queued("a"));
    task.gate.record({ callId: "c1", content: [], writes: [WRITE] }).catch(() => undefined);
    await journal.fail();
    expect(records).toEqual([]);
    const flushed = task.gate.flushed();
    await journal.succeed();
    await flushed;
    task.send(queued("b"));
    const closed = task.gate.close();
    await journal.succeed();
    await closed;
    const [, ...written] = await recordsOf(journal.driver);
    expect(records.map(({ seq, kind }) => [seq, kind])).toEqual(written.map(({ seq, kind }) => [seq, kind]));
    expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(written[1]).toMatchObject({ kind: "effect.end", writes: [WRITE] });
  });
});

describe("closing a gate", () => {
  test("writes the waiting commits and starts no effects", async () => {
    const driver = memoryJournal();
    const task = createTestTask(driver);
    let completed = false;
    task.gate.commits$.subscribe({ complete: () => (completed = true) });
    task.send(start());
    await task.gate.close();
    expect([task.published.length, task.started, completed]).toEqual([1, [], true]);
    task.send(queued("ignored"));
    await expect(task.gate.record({ callId: "c", content: [] })).rejects.toMatchObject({
      code: "JOURNAL_CLOSED",
    });
    expect((await recordsOf(driver)).length).toBe(2);
    await task.gate.close();
  });

  test("waits for the write under way and for all that waits behind it, and writes nothing afterwards", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    task.send(queued("in flight"));
    task.send(queued("waiting"));
    let isClosed = false;
    const closed = task.gate.close().then(() => (isClosed = true));
    await journal.succeed();
    expect([isClosed, journal.waiting()]).toEqual([false, 1]);
    await journal.succeed();
    expect(isClosed).toBe(true);
    await closed;
    const written = async () => messagesOf(await recordsOf(journal.driver)).map(({ text }) => text);
    expect(await written()).toEqual(["in flight", "waiting"]);
    task.send(queued("late"));
    expect(journal.waiting()).toBe(0);
  });

  test("rejects if a write fails", async () => {
    const task = createTestTask(failingJournal(memoryJournal(), full));
    task.send(queued("a"));
    await expect(task.gate.close()).rejects.toMatchObject({ code: "JOURNAL_FULL" });
    expect(task.errors).toEqual([]);
  });

  test("a broken invariant is reported; the commits before it are kept", async () => {
    const driver = memoryJournal();
    const task = createTestTask(driver);
    task.send(queued("kept"));
    task.send(failInvariant);
    expect(task.errors).toMatchObject([{ message: "a broken invariant" }]);
    await task.gate.close();
    expect(messagesOf(await recordsOf(driver)).map(({ text }) => text)).toEqual(["kept"]);
  });

  test("a task that was never started leaves no journal", async () => {
    const driver = memoryJournal();
    const task = createTestTask(driver);
    await task.gate.flushed();
    await task.gate.close();
    expect(await recordsOf(driver)).toEqual([]);
  });

  test("the journal is released when its task is at rest", async () => {
    const journal = manualJournal();
    const task = createTestTask(journal.driver);
    task.send(start());
    await journal.succeed();
    expect(journal.releases()).toBe(0);
    task.send(cancel);
    await journal.succeed();
    expect(journal.releases()).toBe(1);
  });
});
