import { describe, expect, test } from "vitest";
import { type InboxCommandInput, parseInboxCommand } from "../../wire/inbox.ts";

const COMMANDS: readonly InboxCommandInput[] = [
  { kind: "start", prompt: "Do it", workspace: "/src", mode: "code" },
  { kind: "answer", askId: 7, answer: { kind: "yes", rule: "edit(src/**)" } },
  { kind: "message", text: "Look", images: ["data:image/png;base64,AA=="] },
  { kind: "continue", text: "" },
  { kind: "pause" },
  { kind: "cancel" },
];

describe("a command of an inbox", () => {
  test.each(COMMANDS)("of the kind $kind is read as it was sent", (command) => {
    expect(parseInboxCommand(JSON.parse(JSON.stringify(command)))).toMatchObject({ ok: true, command });
  });

  test("with a field of a later version is read without it", () => {
    const command = { kind: "cancel", because: "later" };
    expect(parseInboxCommand(command)).toEqual({ ok: true, command: { kind: "cancel" } });
  });

  test("of a kind of another version is refused by name", () => {
    expect(parseInboxCommand({ kind: "rewind" })).toMatchObject({
      ok: false,
      code: "COMMAND_UNKNOWN",
      message: expect.stringContaining('"rewind"'),
    });
  });

  test.each([null, "cancel", {}, { kind: "answer", askId: "7" }, { kind: "message" }])(
    "that is damaged is refused with what is wrong: %j",
    (json) => {
      expect(parseInboxCommand(json)).toMatchObject({ ok: false, code: "COMMAND_INVALID" });
    },
  );
});
