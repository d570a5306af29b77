import { describe, expect, it } from "vitest";
import * as conversation from "../../../machines/conversation/index.ts";
import { toldText } from "../../support/told.ts";

describe("What the model is told", () => {
  it("is committed text: a person reads what changes in it", async () => {
    await expect(toldText()).toMatchFileSnapshot("../../traces/told.txt");
  });

  it("keeps the status forms that models know", () => {
    const forms = [
      conversation.denied(),
      conversation.deniedWithFeedback('not "that"'),
      conversation.approvedWithFeedback("but gently"),
      conversation.toolError("no such file"),
      conversation.guidance("look elsewhere"),
    ];
    expect(forms.map((form) => JSON.parse(form))).toEqual([
      { status: "denied", message: "The user denied this operation." },
      { status: "denied", feedback: 'not "that"' },
      { status: "approved", feedback: "but gently" },
      { status: "error", message: "The tool execution failed", error: "no such file" },
      { status: "guidance", feedback: "look elsewhere" },
    ]);
  });

  it("says of a call without a recorded end that its outcome is uncertain, in that word (L12)", () => {
    expect(conversation.uncertain("execute_command")).toMatch(
      /execute_command is uncertain: .*no recorded end/,
    );
  });

  it("names the call that it is about", () => {
    const { skippedAfterRejection, cutAtLimit, malformedArguments, repetition } = conversation;
    for (const told of [skippedAfterRejection("x_tool"), cutAtLimit("x_tool"), repetition("x_tool")]) {
      expect(told).toContain("x_tool");
    }
    expect(malformedArguments("x_tool", "path is missing")).toMatch(/x_tool.*path is missing/);
  });

  it("tells how a command in the background ended", () => {
    expect(conversation.backgroundEnded("make", "ok\n", 0)).toBe(
      "The command in the background ended with exit code 0: make\nOutput:\nok\n",
    );
    expect(conversation.backgroundEnded("make", " ", undefined)).toBe(
      "The command in the background was ended: make\nIt wrote nothing more.",
    );
  });

  it("names the limit that was reached (L14)", () => {
    expect(conversation.callsLimit(64)).toContain("64 tool calls");
  });
});
