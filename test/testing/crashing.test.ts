import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fc, test } from "@fast-check/vitest";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { fileJournal } from "../../store/journal/file.ts";
import { type CrashPoint, crashingJournal } from "../../testing/index.ts";
import { Contender } from "../store/journal/contender.ts";
import { commit, contentOf, contentWith, header, lines, readAll } from "./conformance.ts";

let root = "";
let folders = 0;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "journal-"));
});
afterAll(() => rm(root, { recursive: true, force: true }));
const folder = (): string => join(root, `task-${++folders}`);

const drafts = [header, commit(1), commit(2, "é😀"), commit(3), commit(4)];
const all = lines(...drafts);
const LONGEST = 250;
/** The content of a journal that crashed at this point. */
function contentAt({ record, byte }: CrashPoint): Buffer {
  const last = Buffer.from(`${all[record]}\n`).subarray(0, byte);
  return Buffer.concat([contentWith(...drafts.slice(0, record)), last]);
}
const points = fc.record({ record: fc.nat(all.length - 1), byte: fc.nat(LONGEST) });

describe("a journal that crashes", () => {
  test.prop([points, fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 5, maxLength: 5 })], {
    numRuns: 40,
  })(
    "L11: has all lines before the crash point and exactly its bytes, for any batches; later operations never complete",
    async (at, sizes) => {
      const dir = folder();
      let crash = (): void => {};
      const crashed = new Promise<void>((resolve) => {
        crash = resolve;
      });
      const driver = crashingJournal({ dir, at, crash: () => crash() });
      const acknowledged: string[] = [];
      const rest = [...all];
      for (const size of sizes) {
        const batch = rest.splice(0, size);
        void driver.append(batch).then(() => acknowledged.push(...batch));
      }
      await crashed;
      void driver.append(["late"]).then(() => acknowledged.push("late"));
      void driver.close().then(() => acknowledged.push("closed"));
      expect(await contentOf(driver)).toEqual(contentAt(at));

      const next = fileJournal({ dir });
      await next.own();
      const whole = at.record + (at.byte > Buffer.byteLength(all[at.record] ?? "") ? 1 : 0);
      const { seqs, tails } = await readAll(next);
      expect(seqs).toEqual(drafts.slice(0, whole).map(({ seq }) => seq));
      for (const tail of tails) await next.truncate(tail.at);
      await next.append(lines(commit(whole, "another")));
      await next.close();
      expect(await contentOf(next)).toEqual(
        Buffer.concat([contentWith(...drafts.slice(0, whole)), contentWith(commit(whole, "another"))]),
      );
      // Only batches before the crash were acknowledged.
      expect(all.slice(0, acknowledged.length)).toEqual(acknowledged);
      expect(acknowledged.length).toBeLessThanOrEqual(at.record);
    },
  );

  test("counts the existing lines, and cuts an incomplete one before it continues", async () => {
    const dir = folder();
    const crashAt = async (at: CrashPoint, more: readonly string[]): Promise<void> => {
      await new Promise<void>((crash) => {
        void crashingJournal({ dir, at, crash }).append(more);
      });
    };
    await crashAt({ record: 1, byte: 40 }, all);
    await crashAt({ record: 3, byte: 7 }, all.slice(1));
    expect(await readFile(join(dir, "journal.jsonl"))).toEqual(contentAt({ record: 3, byte: 7 }));
  });

  test("does not crash if the lines are rejected", async () => {
    const dir = folder();
    const first = fileJournal({ dir });
    await first.append(all.slice(0, 2));
    await first.close();
    const driver = crashingJournal({ dir, at: { record: 2, byte: 0 }, crash: () => expect.unreachable() });
    await expect(driver.append(lines(header), { first: true })).rejects.toMatchObject({
      code: "JOURNAL_EXISTS",
    });
    await driver.close();
  });

  test("L11: terminates its process and leaves a stale lock, which another driver takes over", async () => {
    for (const at of [
      { record: 0, byte: 0 },
      { record: 2, byte: 90 },
      { record: 4, byte: LONGEST },
    ]) {
      const dir = folder();
      const contender = await Contender.start();
      expect(await contender.crash(dir, at, all)).toBe("SIGKILL");
      expect(await readFile(join(dir, "journal.jsonl"))).toEqual(contentAt(at));
      expect(JSON.parse(await readFile(join(dir, "lock"), "utf8"))).toMatchObject({ pid: contender.pid });
      const next = fileJournal({ dir });
      await next.own();
      await next.close();
    }
  });
});
