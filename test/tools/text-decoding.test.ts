// cspell:words ytes
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { decodeText, encodeText, encodingOf } from "../../tools/text-encoding.ts";
import { filesIn } from "../support/sources.ts";

const utf16 = (text: string, order: "le" | "be"): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
};

describe("the decoder of text files", () => {
  test.each([
    ["UTF-8", Buffer.from("é\n"), "é\n"],
    ["UTF-8 with a byte order mark", Buffer.from("\ufeffé\n"), "\ufeffé\n"],
    ["UTF-16 little endian with a byte order mark", utf16("é\n", "le"), "\ufeffé\n"],
    ["UTF-16 big endian with a byte order mark", utf16("é\n", "be"), "\ufeffé\n"],
    ["an empty file", Buffer.alloc(0), ""],
  ])("decodes %s, and encodes it again to the same bytes", (_, bytes, text) => {
    expect(decodeText(bytes)).toBe(text);
    expect(Buffer.from(encodeText(text, encodingOf(bytes)))).toEqual(bytes);
  });

  test.each([
    ["Latin-1", Buffer.from("é", "latin1")],
    ["UTF-16 without a byte order mark", Buffer.from("secret\n", "utf16le")],
    ["UTF-16 with half a character", utf16("a", "le").subarray(0, 3)],
    ["UTF-16 with half a surrogate pair", utf16("\ud83d", "le")],
    ["UTF-32", Buffer.from([0xff, 0xfe, 0, 0, 0x61, 0, 0, 0])],
    ["a NUL", Buffer.from("a\0b")],
  ])("refuses %s", (_, bytes) => {
    expect(decodeText(bytes)).toBeUndefined();
  });

  test("drops a character that is cut at the end of a part", () => {
    expect(decodeText(Buffer.from("aé").subarray(0, 2), true)).toBe("a");
    expect(decodeText(Buffer.from("aé").subarray(0, 2))).toBeUndefined();
    expect(decodeText(utf16("ab", "be").subarray(0, 5), true)).toBe("\ufeffa");
  });
});

/** Files that decode other bytes: of own files, of the system, of processes, of the network. */
const OTHER_DECODERS: ReadonlySet<string> = new Set([
  "actors/context/editor/sections.ts",
  "actors/calls/unsent-output.ts",
  "adapters/anthropic/event-stream.ts",
  "adapters/anthropic/whole-message.ts",
  "adapters/endpoint-words.ts",
  "adapters/checkpoints/paths.ts",
  "adapters/hooks/hook-process.ts",
  "adapters/isolation/files-end.ts",
  // The target of a symlink.
  "adapters/isolation/merge-plan.ts",
  "adapters/isolation/record.ts",
  "adapters/isolation/unrecorded-merge.ts",
  "adapters/mcp/approvals.ts",
  "adapters/mcp/authorization-fetch.ts",
  "adapters/mcp/logins.ts",
  "adapters/mcp/process-transport.ts",
  "adapters/repository/git-process.ts",
  "adapters/sandbox/bubblewrap-means.ts",
  "adapters/sandbox/check-probes.ts",
  "adapters/sandbox/forwarder.ts",
  "adapters/sandbox/outer-sockets.ts",
  "adapters/sandbox/probe.ts",
  "adapters/shell/output-buffer.ts",
  "adapters/shell/output-end.ts",
  "adapters/shell/process-tree.ts",
  "adapters/shell/shell.ts",
  "cli/acp/call-result.ts",
  "cli/cluster/private-postgres.ts",
  "cli/stream/input-lines.ts",
  "cli/terminal/input/prompt-history.ts",
  "client/roo/console/stream-writer.ts",
  "client/line-reader.ts",
  "server/body.ts",
  "server/page/built-page.ts",
  "server/workers/relayed-events.ts",
  "store/exchange/files.ts",
  "store/journal/holder.ts",
  "store/journal/line.ts",
  "store/journal/lock.ts",
  "store/ledger/line.ts",
  "store/ledger/merge-record.ts",
  "store/recovery/packed-passive.ts",
  "store/recovery/passive-copy.ts",
  "store/task-history/file-name.ts",
  "store/task-history/head.ts",
  "store/task-history/journal-check.ts",
  "store/task-history/task-index.ts",
  "store/task-history/title.ts",
  // A part of an output that was written as text.
  "tools/builtin/read-artifact.ts",
  // Cuts texts, and decodes bodies of HTTP.
  "tools/text.ts",
  "tools/web/content.ts",
  "tools/text-encoding.ts",
]);
const FOLDERS = ["actors", "adapters", "cli", "client", "runtime", "server", "settings", "store", "tools"];
const DECODING =
  /readFile(?:Sync)?\([^)]*"utf-?8"|new TextDecoder|new StringDecoder|\.toString\("utf-?8"|(?:Buffer\.(?:from|concat)\([^()]*(?:\([^()]*\)[^()]*)*\)|[bB]ytes)\.toString\(\)|readFile\([^)]*\)\)\.toString/;

test("no other place decodes a file of a user", () => {
  const root = path.resolve(import.meta.dirname, "../..");
  const found = filesIn(FOLDERS).filter((file) => DECODING.test(readFileSync(path.join(root, file), "utf8")));
  expect(found.filter((file) => !OTHER_DECODERS.has(file))).toEqual([]);
});
