import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { Io } from "../io.ts";
import type { PromptHistory } from "./prompt-history.ts";

/** Edits a line key by key and finds former ones. It shows nothing: it would with escapes, and at the cursor. */
export function lineEditor(io: Io, history: PromptHistory): Interface {
  const editor = createInterface({
    input: io.stdin,
    output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    terminal: true,
    history: history.newestFirst(),
    historySize: history.size,
    removeHistoryDuplicates: true,
  });
  editor.on("history", (lines) => {
    const [newest] = lines;
    if (newest !== undefined && !history.add(newest)) lines.shift();
  });
  return editor;
}
