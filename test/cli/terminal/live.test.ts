import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { createStyle } from "../../../cli/show/style.ts";
import { Prompt } from "../../../cli/terminal/input/prompt.ts";
import { PromptHistory } from "../../../cli/terminal/input/prompt-history.ts";
import { LiveScreen } from "../../../cli/terminal/live/screen.ts";
import { type FakeOptions, FakeTerminal } from "./fake-terminal.ts";

const COLOURED = createStyle(Object.assign(new PassThrough(), { isTTY: true }), {});

function open({
  status = "status ".repeat(20),
  queued = [],
  ...options
}: FakeOptions & { status?: string; queued?: readonly string[] } = {}) {
  const terminal = new FakeTerminal(options);
  const heard: string[] = [];
  const screen = new LiveScreen(terminal.io.stdout, COLOURED, {
    status: (width) => status.slice(0, width),
    queued: () => queued,
  });
  const prompt = new Prompt(
    terminal.io,
    screen,
    {
      line: (text, isAnswer) => heard.push(`${isAnswer ? "answer" : "words"}: ${text}`),
      interrupt: () => heard.push("interrupt"),
      escape: () => heard.push("escape") === 0,
      escapeTwice: () => heard.push("escape twice"),
      shiftTab: () => heard.push("shift tab"),
      report: (problem) => heard.push(`problem: ${problem}`),
      end: () => heard.push("end"),
    },
    new PromptHistory(undefined),
  );
  return { terminal, screen, prompt, heard };
}

describe("the screen", () => {
  test("the status is the last row, whatever is written, and no text is lost or written twice", async () => {
    const { terminal, screen } = open();
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    for (const line of lines) {
      screen.line(line);
      await terminal.shows(line);
      expect(terminal.bottom).toMatch(/^status /);
    }
    expect(terminal.text.slice(0, -2)).toEqual(lines);
  });

  test("an incomplete line is shown, and continues in its place", async () => {
    const { terminal, screen } = open();
    screen.write("Hel");
    await terminal.shows("Hel");
    screen.write("lo");
    await terminal.shows("Hello");
    expect(terminal.text.filter((row) => row.startsWith("Hel"))).toEqual(["Hello"]);
  });

  test("a whole line ends the incomplete line before it", async () => {
    const { terminal, screen } = open({ status: "status" });
    screen.write("Done. ");
    screen.settle(["It works.", "Twice."]);
    screen.line("after");
    await terminal.shows("after");
    expect(terminal.text.slice(0, 3)).toEqual(["Done. It works.", "Twice.", "after"]);
  });

  test("an incomplete line that is longer than the screen scrolls away completely", async () => {
    const { terminal, screen } = open({ columns: 21, rows: 12 });
    const words = Array.from({ length: 300 }, (_, index) => `w${index}`).join(" ");
    for (const word of words.match(/.{1,7}/g) ?? []) {
      screen.write(word);
      await new Promise(setImmediate);
    }
    screen.write("\nend\n");
    await terminal.shows("end");
    expect(terminal.text.slice(0, -3).join("").replaceAll(" ", "")).toBe(words.replaceAll(" ", ""));
  });

  test("after a resize the frame is drawn once, in the new width, and the text above it is whole", async () => {
    const { terminal, screen } = open({ columns: 80, rows: 24, status: "status" });
    screen.line("above");
    const words = Array.from({ length: 20 }, (_, index) => `w${index}`).join("");
    screen.write(words);
    await terminal.shows(words);
    for (const columns of [30, 100, 25]) {
      terminal.resize(columns, 12);
      const rows = 1 + Math.ceil(words.length / (columns - 1)) + 2;
      await terminal.sees((text) => text.length === rows && text.slice(0, -2).join("") === `above${words}`);
    }
    expect(terminal.bottom).toBe("status");
  });

  test("a change that shows nothing new writes nothing", async () => {
    const { terminal, screen } = open();
    await terminal.shows("status");
    const before = terminal.bytes;
    screen.refresh();
    await new Promise(setImmediate);
    expect(terminal.bytes).toBe(before);
  });

  test("a frame is one synchronized write", async () => {
    const { terminal, screen } = open();
    screen.line("one");
    screen.line("two");
    await terminal.shows("two");
    const [, frame = "", ...others] = terminal.bytes.split("\x1b[?2026h");
    expect(others).toEqual([]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are moved by them
    expect(frame).toMatch(/one\n[\s\S]*two\n[\s\S]*\x1b\[\?2026l$/);
  });

  test("a frame on the first row is redrawn and removed without a clear of the screen", async () => {
    const { terminal, screen } = open({ columns: 30, rows: 12 });
    for (const word of ["one", "two", "three"]) {
      screen.write(`${word} `);
      await terminal.shows(word);
    }
    screen.pause();
    screen.resume();
    await terminal.shows("three");
    screen.close();
    await terminal.sees((text) => text.length === 1);
    expect(terminal.clears).toBe(0);
  });

  test("closing leaves the text and removes the frame", async () => {
    const { terminal, screen } = open();
    screen.write("said");
    await terminal.shows("said");
    screen.close();
    await terminal.sees((text) => text.length === 1);
    expect(terminal.text).toEqual(["said"]);
    expect(terminal.cursor).toEqual({ row: 1, column: 0 });
  });
});

describe("the line that is typed", () => {
  test("is above the status line while text grows above it, and contains the cursor", async () => {
    const { terminal, screen, heard } = open();
    await terminal.type("he");
    screen.line("text");
    await terminal.type("y");
    await terminal.shows("> hey");
    expect(terminal.text.slice(0, -1)).toEqual(["text", "> hey"]);
    expect(terminal.cursor).toEqual({ row: 1, column: 5 });
    await terminal.type("\r");
    expect(heard).toEqual(["words: hey"]);
  });

  test("a question that comes in the meantime is shown after it, and the line does not answer it (L7)", async () => {
    const { terminal, prompt, heard } = open();
    await terminal.type("ye");
    prompt.ask("Run it? ");
    await terminal.type("s");
    await terminal.shows("> yes");
    expect(terminal.text.join()).not.toContain("Run it?");
    await terminal.type("\r");
    await terminal.shows("Run it?");
    await terminal.type("y\r");
    expect(heard).toEqual(["words: yes", "answer: y"]);
  });

  test("a withdrawn question drops its partly typed answer", async () => {
    const { terminal, prompt, heard } = open();
    prompt.ask("Run it? ");
    await terminal.type("y");
    prompt.withdraw();
    prompt.ask("Enter to resume: ");
    await terminal.type("\r");
    expect(heard).toEqual(["answer: "]);
  });

  test("an answer that was chosen is given to its question only, and to no later one (L7)", async () => {
    const { terminal, prompt, heard } = open();
    const choices = { isList: false, items: [{ line: "y", row: "y  Yes" }] };
    prompt.ask("Run it? ", choices);
    await terminal.type("\x1b[B");
    await terminal.shows("> y  Yes");
    prompt.ask("Remove it? ", choices);
    await terminal.type("\r");
    prompt.ask("Run it? ", choices);
    await terminal.type("\x1b[B\r");
    expect(heard).toEqual(["answer: ", "answer: y"]);
  });

  test("lines of one paste: the first is the answer, the others are messages", async () => {
    const { terminal, prompt, heard } = open();
    prompt.ask("Run it? ");
    await terminal.type("y\ry\r");
    expect(heard).toEqual(["answer: y", "words: y"]);
  });

  test("an interrupt drops the line, and the end of the input is reported once", async () => {
    const { terminal, prompt, heard } = open();
    await terminal.type("rm everything");
    prompt.ask("Enter to resume: ");
    await terminal.type("\x03");
    await terminal.type("\r");
    await terminal.type("\x04");
    prompt.close();
    expect(heard).toEqual(["interrupt", "answer: ", "end"]);
  });

  test("a line that is longer than the screen is wrapped, and the part around the cursor is shown", async () => {
    const { terminal } = open({ columns: 21, rows: 12 });
    await terminal.type("x".repeat(200));
    await terminal.sees((text) => text.length === 7);
    expect(terminal.cursor).toEqual({ row: 5, column: 2 });
    await terminal.type("\x01");
    await terminal.shows("> xxx");
    expect(terminal.cursor).toEqual({ row: 0, column: 2 });
  });

  test("Esc twice is reported while no text is typed, also where both come at once", async () => {
    const { terminal, heard } = open();
    const press = async (keys: string, count: number) => {
      await terminal.type(keys);
      while (heard.length < count) await new Promise(setImmediate);
    };
    await press("\x1b", 1);
    await press("\x1b", 3);
    await press("\x1b", 4);
    await terminal.type("a");
    await press("\x1b", 5);
    await terminal.type("\x7f");
    await press("\x1b\x1b", 7);
    const ONE = "escape";
    expect(heard).toEqual([ONE, ONE, "escape twice", ONE, ONE, ONE, "escape twice"]);
  });

  test("up and down recall earlier input", async () => {
    const { terminal } = open();
    await terminal.type("first\rsecond\r\x1b[A\x1b[A");
    await terminal.shows("> first");
    await terminal.type("\x1b[B");
    await terminal.shows("> second");
  });
});
