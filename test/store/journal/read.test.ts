import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { encodeLine } from "../../../store/journal/line.ts";
import { memoryJournal } from "../../../store/journal/memory.ts";
import { JOURNAL_VERSION, type JournalDraft } from "../../../wire/journal/record.ts";
import { commit, contentWith, header, readAll } from "../../testing/conformance.ts";

const file = (...parts: readonly (string | Uint8Array)[]) =>
  memoryJournal({ content: Buffer.concat(parts.map((part) => Buffer.from(part))) });
const odd = { seq: 1, kind: "commit", at: 1, before: "a", after: 5 } as unknown as JournalDraft;

/** A journal of a few records of all sizes, as drafts. */
const drafts = fc
  .array(fc.oneof(fc.string({ unit: "grapheme", maxLength: 20 }), fc.constant("x".repeat(300))), {
    maxLength: 5,
  })
  .map((texts): JournalDraft[] => [header, ...texts.map((text, index) => commit(index + 1, text))]);

/** Byte offsets of the ends of the records. */
const endsOf = (records: readonly JournalDraft[]): number[] =>
  records.map((_, index) => contentWith(...records.slice(0, index + 1)).length);
const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

describe("a reader", () => {
  test.prop([drafts])("returns all records of a whole journal, and no tail", async (records) => {
    expect(await readAll(file(contentWith(...records)))).toMatchObject({ records, tails: [] });
  });

  test.prop([drafts, fc.nat()])(
    "L11: returns the records before any truncation, and a torn tail",
    async (records, place) => {
      const content = contentWith(...records);
      const ends = endsOf(records);
      const length = place % content.length;
      const whole = ends.filter((end) => end <= length);
      const at = whole.at(-1) ?? 0;
      const { seqs, tails } = await readAll(file(content.subarray(0, length)));
      expect(seqs).toEqual(range(whole.length));
      expect(tails).toEqual(
        at === length
          ? []
          : [
              {
                kind: "torn",
                line: whole.length + 1,
                at,
                bytes: length - at,
                reason: "its newline is missing",
              },
            ],
      );
    },
  );

  test.prop([drafts, fc.nat(), fc.integer({ min: 1, max: 255 })], { numRuns: 300 })(
    "L11: returns the records before any changed byte, and a tail: damaged if valid records follow, else torn",
    async (records, place, change) => {
      const content = contentWith(...records);
      const ends = endsOf(records);
      const byte = place % content.length;
      content[byte] = (content[byte] ?? 0) ^ change;
      const line = ends.findIndex((end) => byte < end);
      // A changed newline joins two lines.
      const bad = ends.includes(byte + 1) ? line + 1 : line;
      const { seqs, records: read, tails } = await readAll(file(content));
      expect(seqs).toEqual(range(line));
      expect(read).toMatchObject(records.slice(0, line));
      const at = ends[line - 1] ?? 0;
      const kind = bad < records.length - 1 ? "damaged" : "torn";
      expect(tails).toMatchObject([{ kind, line: line + 1, at, bytes: content.length - at }]);
    },
  );

  test.prop([drafts, fc.nat(), fc.constantFrom("missing", "twice", "header", "unknown")])(
    "L11: returns the records before one that is out of order or unknown, and a damaged tail",
    async (records, place, fault) => {
      const all = [...records, commit(records.length), commit(records.length + 1)];
      const line = 1 + (place % (all.length - 2));
      const bad = { ...odd, seq: line };
      const middle = {
        missing: [],
        twice: [all[line - 1] ?? header, all[line] ?? header],
        header: [{ ...header, seq: line } as unknown as JournalDraft],
        unknown: [bad],
      }[fault];
      const before = all.slice(0, line);
      const content = contentWith(...before, ...middle, ...all.slice(line + 1));
      const { seqs, tails } = await readAll(file(content));
      expect(seqs).toEqual(range(line));
      const at = contentWith(...before).length;
      expect(tails).toMatchObject([{ kind: "damaged", line: line + 1, at, bytes: content.length - at }]);
    },
  );

  test("several invalid lines at the end are one torn tail", async () => {
    const { seqs, tails } = await readAll(file(contentWith(header), "garbage\n", "\u0000\u0000\n", "{"));
    expect(seqs).toEqual([0]);
    expect(tails).toEqual([
      {
        kind: "torn",
        line: 2,
        at: contentWith(header).length,
        bytes: 12,
        reason: "it does not begin with a checksum",
      },
    ]);
  });

  test.each([
    [
      "bytes were changed",
      contentWith(commit(1)).toString().replace("message", "massage"),
      "its checksum does not match",
    ],
    ["record is missing before it", contentWith(commit(2)), "expected record 1, found record 2"],
    ["record is of an unknown kind", contentWith(odd), /not a record of this version.*after/s],
    ["record is a second header", contentWith({ ...header, seq: 1 } as unknown as JournalDraft), "seq"],
    ["lines are followed by valid ones", `garbage\n${contentWith(commit(2))}`, "and whole records follow it"],
  ])("gives the reason of a tail whose %s", async (_name, end, reason) => {
    const { tails } = await readAll(file(contentWith(header), end));
    expect(tails).toHaveLength(1);
    expect(tails[0]?.reason).toMatch(reason);
  });

  test("a journal with a damaged header has no records, and a damaged tail", async () => {
    const content = contentWith(header, commit(1));
    content[30] = 0;
    expect(await readAll(file(content))).toMatchObject({
      seqs: [],
      tails: [{ kind: "damaged", line: 1, at: 0 }],
    });
  });

  test("a journal of a later version is rejected", async () => {
    const later = { ...header, version: JOURNAL_VERSION + 1, taskId: 5 } as unknown as JournalDraft;
    await expect(readAll(file(contentWith(later)))).rejects.toMatchObject({
      code: "JOURNAL_VERSION",
      message: expect.stringContaining(`version ${JOURNAL_VERSION} or earlier`),
    });
  });

  test("a version record is read in its order, and rejected with its line if it is of a later version", async () => {
    const current: JournalDraft = { seq: 1, kind: "version", at: 1, version: JOURNAL_VERSION };
    const old = { ...header, version: 2 };
    expect(await readAll(file(contentWith(old, current, commit(2))))).toMatchObject({
      seqs: [0, 1, 2],
      tails: [],
    });
    expect(await readAll(file(contentWith(old, commit(1), current)))).toMatchObject({
      seqs: [0, 1],
      tails: [{ kind: "damaged", line: 3, reason: "expected record 2, found record 1" }],
    });
    // Fields of a later version are unknown.
    const later = { seq: 2, kind: "version", version: JOURNAL_VERSION + 1 } as unknown as JournalDraft;
    await expect(readAll(file(contentWith(old, commit(1), later, odd)))).rejects.toMatchObject({
      code: "JOURNAL_VERSION",
      message: expect.stringContaining(
        `Line 3: expected format version ${JOURNAL_VERSION} or earlier, found ${JOURNAL_VERSION + 1}. Use a newer signalbox.`,
      ),
    });
  });

  test.each([
    ["another record", commit(0)],
    ["a header that lacks its task", { ...header, taskId: undefined } as unknown as JournalDraft],
    ["something else", { hello: "world" } as unknown as JournalDraft],
  ])("a file that begins with %s is rejected: it is not a journal", async (_name, first) => {
    await expect(readAll(file(contentWith(first, commit(1))))).rejects.toMatchObject({
      code: "JOURNAL_RECORD",
      message: expect.stringContaining("Line 1"),
    });
  });

  test("lines are read from chunks of any size", async () => {
    const content = contentWith(header, commit(1, "é😀"), commit(2));
    for (const size of [1, 2, 3, 7, 64]) {
      const driver = {
        path: "(chunks)",
        async *read() {
          for (let from = 0; from < content.length; from += size) yield content.subarray(from, from + size);
        },
      };
      expect((await readAll(driver)).seqs).toEqual([0, 1, 2]);
    }
  });

  test("closes the driver's stream when the consumer stops", async () => {
    let ended = false;
    const driver = {
      path: "(chunks)",
      async *read() {
        try {
          yield contentWith(header, commit(1));
          yield contentWith(commit(2));
        } finally {
          ended = true;
        }
      },
    };
    const { readJournal } = await import("../../../store/journal/reader.ts");
    for await (const { seq } of readJournal(driver, { onTail: () => {} })) if (seq === 1) break;
    expect(ended).toBe(true);
  });

  test("a line begins with its checksum", () => {
    expect(encodeLine(header)).toMatch(/^\{"crc":"[0-9a-f]{8}","seq":0,/);
  });
});
