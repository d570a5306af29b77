import { describe, expect, it } from "vitest";
import * as notices from "../../../machines/conversation/notices.ts";
import { noticesText } from "../../support/notices.ts";

describe("Texts for the model", () => {
  it("are committed, so that a change is reviewed", async () => {
    await expect(noticesText()).toMatchFileSnapshot("../../traces/notices.txt");
  });

  it("have the JSON status forms that models know", () => {
    const forms = [
      notices.denied(),
      notices.deniedWithFeedback('not "that"'),
      notices.approvedWithFeedback("but gently"),
      notices.toolError("no such file"),
      notices.guidance("look elsewhere"),
    ];
    expect(forms.map((form) => JSON.parse(form))).toEqual([
      { status: "denied", message: "The user denied this operation." },
      { status: "denied", feedback: 'not "that"' },
      { status: "approved", feedback: "but gently" },
      { status: "error", message: "The tool execution failed", error: "no such file" },
      { status: "guidance", feedback: "look elsewhere" },
    ]);
  });

  it("call the outcome of a call without a recorded end uncertain (L12)", () => {
    expect(notices.uncertain("execute_command")).toMatch(/execute_command is uncertain: .*no recorded end/);
  });

  it("name the tool call", () => {
    const { skippedAfterRejection, cutAtLimit, cycle, repetition } = notices;
    for (const notice of [
      skippedAfterRejection("x_tool"),
      cutAtLimit("x_tool"),
      repetition("x_tool"),
      cycle("x_tool", 2),
    ]) {
      expect(notice).toContain("x_tool");
    }
  });

  it("report the end of a background command", () => {
    expect(notices.backgroundEnded("make", "ok\n", 0)).toBe(
      "The background command ended with exit code 0: make\nOutput:\n<command_output>\nok\n</command_output>",
    );
    expect(notices.backgroundEnded("make", " ", undefined)).toBe(
      "The background command was terminated: make\nThere is no further output.",
    );
  });

  it("name the limit that is reached (L14)", () => {
    expect(notices.callsLimit(64)).toContain("64 tool calls");
    expect(notices.cycle("x_tool", 3)).toContain("The same 3 calls were repeated");
    expect(notices.writeWholeFile("a.txt", 2)).toMatch(/'a\.txt' 2 times in a row\. .*write_to_file/);
  });
});
