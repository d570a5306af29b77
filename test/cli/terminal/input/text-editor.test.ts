import { emitKeypressEvents, type Key } from "node:readline";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { TextEditor } from "../../../../cli/terminal/input/text-editor.ts";

/** The keys that these bytes are. */
function keysOf(bytes: string): readonly Key[] {
  const input = new PassThrough();
  const keys: Key[] = [];
  emitKeypressEvents(input);
  input.on("keypress", (_text: unknown, key: Key) => keys.push(key));
  input.emit("data", Buffer.from(bytes));
  return keys;
}

/** The text after these bytes were typed, with the cursor as `|`. */
function typed(bytes: string, text = ""): string {
  const editor = new TextEditor();
  editor.set(text);
  for (const key of keysOf(bytes)) editor.press(key);
  return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
}

const LEFT = "\x1b[D";
const RIGHT = "\x1b[C";
const UP = "\x1b[A";
const DOWN = "\x1b[B";

describe("the editor of the input", () => {
  test.each([
    ["left and right move by what a reader sees as one character", "a👍🏽é", LEFT + LEFT + RIGHT, "a👍🏽|é"],
    ["backspace deletes one character", "ab👍🏽", "\x7f", "ab|"],
    ["delete deletes the next one", "abc", `${LEFT}${LEFT}\x1b[3~`, "a|c"],
    ["Ctrl+A and Ctrl+E move to the ends of a line", "one\ntwo", "\x01>\x05<", "one\n>two<|"],
    ["up and down keep the column", "be\ngamma", `${LEFT}${UP}>`, "be>|\ngamma"],
    ["down moves to the next line", "alpha\nbeta", `${UP}\x01${DOWN}${RIGHT}>`, "alpha\nb>|eta"],
    ["up at the first line does nothing", "one", `${UP}`, "one|"],
    [
      "Ctrl+K kills to the end of the line, Ctrl+Y inserts it",
      "a\nb",
      `${UP}\x01\x0b${DOWN}\x05\x19`,
      "\nba|",
    ],
    ["Ctrl+K at the end of a line joins it with the next", "one\ntwo", `${UP}\x05\x0b`, "one|two"],
    ["Ctrl+U kills up to the start of the line", "one\ntwo", "\x15", "one\n|"],
    ["Ctrl+W kills the word before the cursor", "rm src/a.ts", "\x17", "rm |"],
    ["Alt+B and Alt+F move by words", "one two", "\x1bb\x1bb\x1bf>", "one>| two"],
    ["Alt+D kills the next word", "one two", "\x01\x1bd", "| two"],
    ["Ctrl+_ takes back each change, and the cursor", "one", `${LEFT}\x17\x15\x1f`, "on|e"],
    ["Ctrl+_ takes back a recalled text, and stops at the first change", "one", "\x1f\x1f\x1f", "|"],
    ["other keys change nothing", "one", "\x1b[15~\x14\x1bx", "one|"],
  ])("%s", (_, text, bytes, after) => {
    expect(typed(bytes, text)).toBe(after);
  });

  test("a text that was cleared is not brought back", () => {
    const editor = new TextEditor();
    editor.insert("y");
    editor.clear();
    editor.undo();
    expect(editor.text).toBe("");
  });

  test("control characters of a text that is inserted are left out, and line ends are one character", () => {
    const editor = new TextEditor();
    editor.insert("a\r\nb\rc\x1b[31m\x00\td");
    expect(editor.text).toBe("a\nb\nc[31m\td");
  });
});
