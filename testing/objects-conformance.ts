import assert from "node:assert/strict";
import type { JournalDriver } from "../ports/journal.ts";
import type { TaskObjects } from "../ports/objects.ts";
import { ObjectError, type ObjectErrorCode } from "../store/objects/error.ts";

/** The objects of a task, and the journal whose owner puts them. */
export interface TestedObjects {
  readonly objects: TaskObjects;
  readonly driver: JournalDriver;
}

/** Factory of the objects under test. */
export interface ObjectsUnderTest {
  /** Create a new task that nobody owns. */
  make(): Promise<TestedObjects>;
  /** The same task, as another process has it. */
  another(tested: TestedObjects): Promise<TestedObjects>;
  /** Delete the task, which is closed. */
  deleteTask(tested: TestedObjects): Promise<void>;
  /** As in `DriverUnderTest`. Absent: only a close ends the ownership, and the cases of fencing are left out. */
  expire?(tested: TestedObjects): Promise<void>;
}

/** One requirement. `run` rejects with an AssertionError if it is not met. */
export interface ObjectsCase {
  readonly title: string;
  readonly run: () => Promise<void>;
}

/**
 * The requirements of every store of objects, independent of a test framework: run each case under its title. Each case
 * creates its own tasks and closes them.
 */
export function objectsConformance(under: ObjectsUnderTest): readonly ObjectsCase[] {
  const cases = under.expire === undefined ? CASES : [...CASES, ...FENCING_CASES];
  return cases.map(([title, check]) => ({ title, run: () => new CaseTasks(under).run(check) }));
}

/** The tasks of one case. */
class CaseTasks implements ObjectsUnderTest {
  readonly #under: ObjectsUnderTest;
  readonly #made: TestedObjects[] = [];

  constructor(under: ObjectsUnderTest) {
    this.#under = under;
  }

  async make(): Promise<TestedObjects> {
    return this.#keep(await this.#under.make());
  }

  async owned(): Promise<TestedObjects> {
    const made = await this.make();
    await made.driver.own();
    return made;
  }

  async another(tested: TestedObjects): Promise<TestedObjects> {
    return this.#keep(await this.#under.another(tested));
  }

  deleteTask(tested: TestedObjects): Promise<void> {
    return this.#under.deleteTask(tested);
  }

  async expire(tested: TestedObjects): Promise<void> {
    await this.#under.expire?.(tested);
  }

  async run(check: (tasks: CaseTasks) => Promise<void>): Promise<void> {
    try {
      await check(this);
    } finally {
      await Promise.allSettled(this.#made.map(({ driver }) => driver.close()));
    }
  }

  #keep(tested: TestedObjects): TestedObjects {
    this.#made.push(tested);
    return tested;
  }
}

type CheckedCase = readonly [title: string, check: (tasks: CaseTasks) => Promise<void>];

const NAME = "output/1.log";
const MIB = 1024 * 1024;

async function* chunksOf(...parts: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : part;
}

async function bytesOf(objects: TaskObjects, name = NAME, from?: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of objects.read(name, from)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const textOf = async (objects: TaskObjects, name?: string): Promise<string> =>
  String(await bytesOf(objects, name));

async function assertRejects(operation: Promise<unknown>, code: ObjectErrorCode): Promise<void> {
  await assert.rejects(operation, (error) => {
    assert.ok(error instanceof ObjectError, `expected an ObjectError, got ${String(error)}`);
    assert.equal(error.code, code);
    return true;
  });
}

/** Bytes that repeat with no power of two, so that a chunk in another place differs. */
function pattern(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let index = 0; index < length; index += 1) bytes[index] = index % 251;
  return bytes;
}

/** A content that stops after its first part until it is released. */
function pausing(first: string, rest: string) {
  let release = (): void => {};
  let reach = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  async function* content(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(first);
    reach();
    await released;
    yield Buffer.from(rest);
  }
  return { content: content(), reached, release: () => release() };
}

const HOSTILE_NAMES: readonly string[] = [
  ...["", "/", ".", "..", "output", "output/", "/output/1.log", "output//1.log", "output/../journal.jsonl"],
  ...["output/..", "output/.", "output/.hidden", "output/1/2", "../output/1.log", "output\\1.log"],
  ...["journal.jsonl", "lock", "title", "deleted-a/b", "lock/1", "Output/1.log", "output/A.log"],
  ...[
    "output/1.log\0",
    "output/1.log\n",
    "output/%2e%2e",
    "output/a b",
    "output/é",
    "output/'; DROP TABLE task",
  ],
  `output/${"a".repeat(201)}`,
];

const CASES: readonly CheckedCase[] = [
  [
    "stores a content that another process reads whole, and lists its size",
    async (tasks) => {
      const owner = await tasks.owned();
      await owner.objects.put(NAME, chunksOf("one, ", "", "two"));
      await owner.objects.put("output/0.log", chunksOf());
      await owner.objects.put("checkpoints/1.bundle", chunksOf("three"));
      const { objects } = await tasks.another(owner);
      assert.equal(await textOf(objects), "one, two");
      assert.equal(await textOf(objects, "output/0.log"), "");
      assert.deepEqual(await objects.list("output"), [
        { name: "output/0.log", bytes: 0 },
        { name: NAME, bytes: 8 },
      ]);
      assert.deepEqual(await objects.list("checkpoints"), [{ name: "checkpoints/1.bundle", bytes: 5 }]);
    },
  ],
  [
    "reads from any byte on, also at and beyond the end",
    async (tasks) => {
      const { objects } = await tasks.owned();
      const whole = pattern(2 * MIB + 5);
      await objects.put(NAME, chunksOf(whole.subarray(0, 700_000), whole.subarray(700_000)));
      for (const from of [0, 1, MIB - 1, MIB, MIB + 1, 2 * MIB, whole.length - 1])
        assert.ok((await bytesOf(objects, NAME, from)).equals(whole.subarray(from)), `from byte ${from}`);
      for (const from of [whole.length, whole.length + 1, 10 * MIB])
        assert.equal((await bytesOf(objects, NAME, from)).length, 0);
    },
  ],
  [
    "replaces an object as a whole",
    async (tasks) => {
      const { objects } = await tasks.owned();
      await objects.put(NAME, chunksOf(pattern(2 * MIB)));
      await objects.put(NAME, chunksOf("short"));
      assert.equal(await textOf(objects), "short");
      assert.deepEqual(await objects.list("output"), [{ name: NAME, bytes: 5 }]);
    },
  ],
  [
    "has nothing of a content that fails, rejects with its error, and keeps the object before",
    async (tasks) => {
      const { objects } = await tasks.owned();
      const failure = new Error("The source failed.");
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield pattern(2 * MIB);
        throw failure;
      }
      await assert.rejects(objects.put(NAME, failing()), (error) => error === failure);
      await assertRejects(textOf(objects), "OBJECT_MISSING");
      assert.deepEqual(await objects.list("output"), []);
      await objects.put(NAME, chunksOf("before"));
      await assert.rejects(objects.put(NAME, failing()), (error) => error === failure);
      assert.equal(await textOf(objects), "before");
    },
  ],
  [
    "shows nothing of a content before its end",
    async (tasks) => {
      const owner = await tasks.owned();
      const { objects } = await tasks.another(owner);
      const { content, reached, release } = pausing("x".repeat(2 * MIB), "end");
      const put = owner.objects.put(NAME, content);
      await reached;
      await assertRejects(textOf(objects), "OBJECT_MISSING");
      assert.deepEqual(await objects.list("output"), []);
      release();
      await put;
      assert.equal((await bytesOf(objects)).length, 2 * MIB + 3);
    },
  ],
  [
    "has one whole content after two puts at once",
    async (tasks) => {
      const { objects } = await tasks.owned();
      const contents = ["a".repeat(MIB + 1), "b".repeat(2 * MIB)];
      await Promise.all(contents.map((content) => objects.put(NAME, chunksOf(content))));
      assert.ok(contents.includes(await textOf(objects)));
      assert.equal((await objects.list("output")).length, 1);
    },
  ],
  [
    "rejects names that are not of an object, and writes nothing",
    async (tasks) => {
      const { objects } = await tasks.owned();
      for (const name of HOSTILE_NAMES) {
        await assertRejects(objects.put(name, chunksOf("content")), "OBJECT_NAME");
        await assertRejects(textOf(objects, name), "OBJECT_NAME");
      }
      assert.deepEqual([...(await objects.list("output")), ...(await objects.list("checkpoints"))], []);
    },
  ],
  [
    "keeps the objects of tasks apart",
    async (tasks) => {
      const [one, other] = [await tasks.owned(), await tasks.owned()];
      await one.objects.put(NAME, chunksOf("one"));
      await assertRejects(textOf(other.objects), "OBJECT_MISSING");
      assert.deepEqual(await other.objects.list("output"), []);
    },
  ],
  [
    "FENCE: only the owner of the task can put, and anyone can read",
    async (tasks) => {
      const { objects, driver } = await tasks.make();
      await assertRejects(objects.put(NAME, chunksOf("no owner")), "OBJECT_LOCKED");
      await driver.own();
      await objects.put(NAME, chunksOf("owner"));
      await driver.close();
      await assertRejects(objects.put(NAME, chunksOf("closed")), "OBJECT_LOCKED");
      await assertRejects(objects.put("output/2.log", chunksOf("closed")), "OBJECT_LOCKED");
      assert.equal(await textOf(objects), "owner");
      assert.deepEqual(await objects.list("output"), [{ name: NAME, bytes: 5 }]);
    },
  ],
  [
    "FENCE: a put that is not complete when the task is closed has no effect",
    async (tasks) => {
      const { objects, driver } = await tasks.owned();
      const { content, reached, release } = pausing("x".repeat(MIB), "end");
      const put = assertRejects(objects.put(NAME, content), "OBJECT_LOCKED");
      await reached;
      await driver.close();
      release();
      await put;
      await assertRejects(textOf(objects), "OBJECT_MISSING");
    },
  ],
  [
    "is deleted with the task",
    async (tasks) => {
      const owner = await tasks.owned();
      await owner.objects.put(NAME, chunksOf(pattern(2 * MIB)));
      await owner.driver.close();
      await tasks.deleteTask(owner);
      assert.deepEqual(await owner.objects.list("output"), []);
      await assertRejects(textOf(owner.objects), "OBJECT_MISSING");
    },
  ],
];

/** The requirements where ownership ends with a lease: a stale owner changes nothing. */
const FENCING_CASES: readonly CheckedCase[] = [
  [
    "FENCE: a stale owner can put nothing, and what it put before is intact",
    async (tasks) => {
      const stale = await tasks.owned();
      await stale.objects.put(NAME, chunksOf("before"));
      await tasks.expire(stale);
      const owner = await tasks.another(stale);
      await owner.driver.own();
      await assertRejects(stale.objects.put(NAME, chunksOf("stale")), "OBJECT_LOCKED");
      await assertRejects(stale.objects.put("output/2.log", chunksOf("stale")), "OBJECT_LOCKED");
      assert.deepEqual(await owner.objects.list("output"), [{ name: NAME, bytes: 6 }]);
      assert.equal(await textOf(owner.objects), "before");
      await owner.objects.put(NAME, chunksOf("owner"));
      assert.equal(await textOf(stale.objects), "owner");
    },
  ],
  [
    "FENCE: a put that was begun before another process owned the task has no effect, also if it owns the task again",
    async (tasks) => {
      // With nothing left to write, only the last step remains.
      for (const rest of ["end", ""]) {
        const stale = await tasks.owned();
        await stale.objects.put(NAME, chunksOf("before"));
        const { content, reached, release } = pausing("x".repeat(2 * MIB), rest);
        const put = assertRejects(stale.objects.put(NAME, content), "OBJECT_LOCKED");
        await reached;
        await tasks.expire(stale);
        const owner = await tasks.another(stale);
        await owner.driver.own();
        await owner.driver.close();
        release();
        await put;
        assert.equal(await textOf(owner.objects), "before");
      }
    },
  ],
  [
    "FENCE: a put of a stale owner in flight during a claim is either whole and before it, or rejected",
    async (tasks) => {
      for (let round = 0; round < 20; round += 1) {
        const stale = await tasks.owned();
        await tasks.expire(stale);
        const owner = await tasks.another(stale);
        const [put] = await Promise.allSettled([
          stale.objects.put(NAME, chunksOf("late")),
          owner.driver.own(),
        ]);
        if (put.status === "rejected") assert.equal(put.reason.code, "OBJECT_LOCKED");
        const expected = put.status === "fulfilled" ? [{ name: NAME, bytes: 4 }] : [];
        assert.deepEqual(await owner.objects.list("output"), expected);
        await Promise.all([stale.driver.close(), owner.driver.close()]);
      }
    },
  ],
];
