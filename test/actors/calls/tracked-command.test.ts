import { describe, expect, test } from "vitest";
import { TrackedCommand } from "../../../actors/calls/tracked-command.ts";
import { stillClock } from "../../support/still-clock.ts";

const FRAME_MS = 50;

/** A command and a wait for a pattern; `print` gives it time to search. */
function waiting(pattern: RegExp, before = "") {
  const clock = stillClock();
  const searched: string[] = [];
  const command = new TrackedCommand({ clock, command: "make", outputChars: 100_000, onRead: () => {} });
  command.add(before);
  const report = command.read({
    timeoutMs: 1e9,
    signal: new AbortController().signal,
    matches(output) {
      searched.push(output);
      return pattern.test(output);
    },
  });
  const print = (text: string): void => {
    command.add(text);
    clock.advance(FRAME_MS);
  };
  return { clock, command, report, print, searched };
}

describe("a wait for a pattern", () => {
  test("finds a match that was searched in parts, from the beginning of its line", async () => {
    const { print, report } = waiting(/^ready now$/m, "so far\n\n");
    for (const part of ["re", "ady", " now"]) print(part);
    expect(await report).toMatchObject({ isMatched: true, output: "so far\n\nready now" });
  });

  test("finds a match of 8,192 characters over many lines, wherever it was split", async () => {
    const { print, report } = waiting(/begin(?:x\n)+end/);
    print("begin");
    for (let lines = 0; lines < 4_092; lines += 1) print("x\n");
    print("end");
    expect(await report).toMatchObject({ isMatched: true });
  });

  test("searches once per frame, and only the end of what was searched before", async () => {
    const { clock, command, report, print, searched } = waiting(/never/);
    const lines = "0123456789\n".repeat(2_000);
    print(lines);
    for (const text of ["a", "b", "c"]) command.add(text);
    clock.advance(FRAME_MS);
    expect(searched.map(({ length }) => length)).toEqual([22_000, 8_195 + 3]);
    command.end({ output: "", exitCode: 0, timedOut: false });
    expect(await report).toMatchObject({ isMatched: false, end: { exitCode: 0 } });
    expect(clock.pending).toBe(0);
  });
});
