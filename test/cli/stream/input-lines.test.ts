import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { main } from "../../../cli/main.ts";
import { linesOf } from "../../../cli/stream/input-lines.ts";
import { jsonEventSchema, parseStdinStreamCommand } from "../../../wire/index.ts";

const folder = mkdtempSync(path.join(tmpdir(), "signalbox-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function linesIn(chunks: readonly Buffer[], charsMax?: number): Promise<[number, string][]> {
  const lines: [number, string][] = [];
  for await (const { text, number } of linesOf(Readable.from(chunks), charsMax)) lines.push([number, text]);
  return lines;
}

test("the lines of an input are the same however it is split, and blank ones are counted", async () => {
  const texts = fc.array(fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")));
  await fc.assert(
    fc.asyncProperty(texts, fc.infiniteStream(fc.integer({ min: 1, max: 7 })), async (lines, cuts) => {
      const bytes = Buffer.from(lines.join("\n"));
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; ) {
        const size = cuts.next().value ?? 1;
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      const expected = lines
        .map((text, index) => [index + 1, text])
        .filter(([, text]) => String(text).trim() !== "");
      expect(await linesIn(chunks)).toEqual(expected);
    }),
    { numRuns: 100 },
  );
});

test("a line beyond the limit is rejected with its number, before it is complete (L14)", async () => {
  await expect(linesIn([Buffer.from("{}\n"), Buffer.alloc(11, "x")], 10)).rejects.toThrow(
    "stdin command line 2: expected a line of at most 10 characters, got a longer one",
  );
});

/** The command in this process, with these lines on its input. */
async function fed(input: string): Promise<{ code: number; lines: string[]; stderr: string }> {
  const io = Object.assign(new EventEmitter(), {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: new PassThrough({ highWaterMark: 1 << 24 }),
    stderr: new PassThrough(),
    env: {},
  });
  const stream = ["-p", "--stdin-prompt-stream", "--output-format", "stream-json"];
  const where = ["-w", folder, "--data-dir", path.join(folder, "data"), "--provider", "mock"];
  const code = await main([...stream, ...where], io);
  const lines = String(io.stdout.read() ?? "").split("\n");
  return { code, lines: lines.slice(0, -1), stderr: String(io.stderr.read() ?? "") };
}

const isCommand = (line: string): boolean => {
  try {
    parseStdinStreamCommand(line, 1);
    return true;
  } catch {
    return false;
  }
};

test("an invalid line has only the documented effect: an error with its number, and code 1", async () => {
  const bad = fc
    .oneof(
      fc.string({ unit: "binary" }),
      fc.json(),
      fc.constantFrom('{"command":"start"}', "\u0000", "{", "💥"),
    )
    .map((line) => line.replaceAll("\n", " "))
    .filter((line) => line.trim() !== "" && !isCommand(line));
  await fc.assert(
    fc.asyncProperty(bad, async (line) => {
      const { code, lines, stderr } = await fed(`\n{"command":"ping","requestId":"p"}\n${line}\n`);
      expect(code).toBe(1);
      expect(stderr).toBe("");
      const events = lines.map((said) => jsonEventSchema.parse(JSON.parse(said)));
      expect(events.map(({ type }) => type)).toEqual(["system", "control", "control", "error"]);
      expect(events.at(-1)?.content).toMatch(/^stdin command line 3: /);
    }),
    { numRuns: 25 },
  );
});
