import { describe, expect, test } from "vitest";
import { TerminalText, terminalText } from "../../tools/terminal-text.ts";

/** The text of pieces, as it is shown while it comes. */
function live(...pieces: readonly string[]): string {
  const terminal = new TerminalText();
  return pieces.map((piece) => terminal.add(piece)).join("") + terminal.end();
}

describe("text as a terminal shows it", () => {
  test.each([
    ["colours", "\u001b[1;31mred\u001b[0m and \u001b[38;2;1;2;3m 24 bit\u001b[m\n", "red and  24 bit\n"],
    ["NUL, BEL and other controls", "a\u0000b\u0007c\u007fd\u0001\n", "abcd\n"],
    ["Windows line ends", "one\r\ntwo\r\n", "one\ntwo\n"],
    ["progress in one line", "10 %\r50 %\r100 %\ndone", "100 %\ndone"],
    ["a shorter text over a longer one", "123456\rab\n", "ab3456\n"],
    ["an erased line", "downloading\r\u001b[K 100 %\n", " 100 %\n"],
    ["a whole line erased", "downloading\u001b[2K\rdone\n", "done\n"],
    ["backspaces", "pass\b\b\b\bword\n|\b/\b-\b\\\b done\n", "word\n done\n"],
    ["a title", "\u001b]0;the title\u0007text", "text"],
    ["a link", "\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\ text", "link text"],
    ["8-bit controls", "\u009b31mred\u009b0m\u009d0;title\u009c.\u0085next", "red.\nnext"],
    ["a device control string", "\u001bPq#0;2\u001b\\text", "text"],
    ["a sequence that never ends before the line does", "\u001b]0;title\ntext", "\ntext"],
    ["character sets and saved cursors", "\u001b(B\u001b7text\u001b8\u001b=", "text"],
    ["rows that are written again", "a: 1\nb: 1\n\u001b[2Aa: 2\nb: 2\n", "a: 2\nb: 2\n"],
    ["a cursor moved to a column", "abc\u001b[1Gx\u001b[3Gz\n", "xbz\n"],
    ["what is below erased", "one\ntwo\n\u001b[2A\u001b[J3\n", "3\n"],
    ["tabs and text of any language", "a\tb\u00e9\u4e2d\ud83d\ude00\n", "a\tb\u00e9\u4e2d\ud83d\ude00\n"],
    ["a surrogate pair in an overwritten line", "ab\r\ud83d\ude00\n", "\ud83d\ude00b\n"],
  ])("has %s resolved", (_, given, shown) => {
    expect(terminalText(given)).toBe(shown);
    // One character at a time: no sequence is recognized by its piece.
    const terminal = new TerminalText(100);
    expect([...given].map((one) => terminal.add(one)).join("") + terminal.end()).toBe(shown);
  });

  test("is given out as it comes, whole lines and the end of one that nothing overwrites", () => {
    const terminal = new TerminalText();
    expect(terminal.add("Password: ")).toBe("Password: ");
    expect(terminal.add("ok\nnext \u001b[3")).toBe("ok\nnext ");
    expect(terminal.add("1mred")).toBe("red");
    expect(terminal.add("\r10 %")).toBe("");
    expect(terminal.add("\r20 %")).toBe("");
    expect(terminal.add("\n")).toBe("\n20 % red\n");
  });

  test("repeats a line that was given out only once after it was overwritten", () => {
    expect(live("10 %", "\r20 %", "\r30 %", "\n")).toBe("10 %\n30 %\n");
    expect(live("10", "\r100 %", "\n")).toBe("100 %\n");
  });

  test("takes linear time, and no more than a bounded line", () => {
    const progress = Array.from({ length: 20_000 }, (_, at) => `${at} of 20000`).join("\r");
    expect(terminalText(progress)).toBe("19999 of 20000");
    const long = `${"x".repeat(200_000)}\ry`;
    expect(terminalText(long).replaceAll("\n", "").length).toBeGreaterThan(199_000);
    const many = "\u001b[31m".repeat(100_000);
    expect(terminalText(`${many}end`)).toBe("end");
    expect(terminalText(`\u001b[${"1;".repeat(100_000)}mend`)).toContain("end");
  });
});
