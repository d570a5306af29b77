import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PersistentList } from "../../../machines/list/list.ts";
import { detectAgentState } from "../../../machines/message/detect.ts";
import type { ClineMessage } from "../../../machines/message/message.ts";
import { detectWebviewState } from "../../../machines/message/webview.ts";
import { messageSchema } from "../../../wire/message-schema.ts";
import { test } from "../../support/prop.ts";
import { message } from "./arbitraries.ts";

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), "utf8"));

const { vectors } = z
  .object({
    vectors: z.array(
      z.object({
        name: z.string(),
        messages: z.array(messageSchema),
        cli: z.object({
          state: z.string(),
          isWaitingForInput: z.boolean(),
          isRunning: z.boolean(),
          isStreaming: z.boolean(),
          currentAsk: z.string().nullable(),
          requiredAction: z.string(),
        }),
        webviewDocument: z.string(),
      }),
    ),
  })
  .parse(fixture("state-vectors.json"));

const { logs } = z
  .object({
    logs: z.array(
      z.object({
        log: z.string(),
        messages: z.array(messageSchema),
        states: z.array(z.tuple([z.string(), z.number()])),
      }),
    ),
  })
  .parse(fixture("recorded-log-shapes.json"));

/** The only case where our rules differ from the reference. */
const BROWSER = "ask browser_action_launch (legacy), request closed";

const say = (name: string, text?: string | null, more: Partial<ClineMessage> = {}): ClineMessage => ({
  ts: 1,
  type: "say",
  say: name,
  ...(text !== undefined && { text }),
  ...more,
});

describe("detectAgentState", () => {
  it.each(vectors.filter(({ name }) => name !== BROWSER))("equals the reference: $name", (vector) => {
    const { state, isWaitingForInput, isRunning, isStreaming, currentAsk, requiredAction } = detectAgentState(
      vector.messages,
    );
    const actual = {
      state,
      isWaitingForInput,
      isRunning,
      isStreaming,
      currentAsk: currentAsk ?? null,
      requiredAction,
    };
    expect(actual).toEqual(vector.cli);
  });

  it("treats browser_action_launch as an interactive ask (R2)", () => {
    const messages = vectors.find(({ name }) => name === BROWSER)?.messages;
    expect(detectAgentState(messages)).toMatchObject({
      state: "waiting_for_input",
      currentAsk: "browser_action_launch",
      requiredAction: "approve",
      isWaitingForInput: true,
    });
  });

  it.each(logs)("equals the recorded state at every prefix of $log", ({ messages, states }) => {
    const expected = states.flatMap(([state, times]) => Array.from({ length: times }, () => state));
    const actual = Array.from(
      { length: messages.length + 1 },
      (_, n) => detectAgentState(messages.slice(0, n)).state,
    );
    expect(actual).toEqual(expected);
  });

  it.each([[null], [undefined], [[]], [PersistentList.empty<ClineMessage>()]])(
    "is no_task without messages: %s (R0)",
    (messages) => {
      expect(detectAgentState(messages)).toEqual({
        state: "no_task",
        isWaitingForInput: false,
        isRunning: false,
        isStreaming: false,
        requiredAction: "start_new_task",
        description: "There is no task.",
      });
    },
  );

  it("accepts an empty slot at the end of a foreign array (R0)", () => {
    expect(detectAgentState(JSON.parse("[null]")).state).toBe("no_task");
  });

  it.each([
    [say("text", "", { partial: true }), "streaming", "The model's response is streaming."],
    [say("text"), "running", "The agent is running."],
    [{ ts: 1, type: "ask", ask: "tool" }, "waiting_for_input", "The agent waits for an answer."],
    [{ ts: 1, type: "ask", ask: "api_req_failed" }, "idle", "The task is at rest."],
    [{ ts: 1, type: "ask", ask: "resume_task" }, "resumable", "The task was interrupted and can be resumed."],
    [
      { ts: 1, type: "ask", ask: "command_output" },
      "running",
      "A command is running. Continue without waiting for it, or abort it.",
    ],
  ] as const)("describes the state after %j", (last, state, description) => {
    expect(detectAgentState([last])).toMatchObject({
      state,
      description,
      lastMessageTs: 1,
      lastMessage: last,
    });
  });

  it("reports a streaming ask, which accepts no answer yet (R1)", () => {
    const info = detectAgentState([{ ts: 1, type: "ask", ask: "followup", partial: true }]);
    expect(info).toMatchObject({ state: "streaming", currentAsk: "followup", requiredAction: "none" });
    expect(info.isWaitingForInput).toBe(false);
  });

  it("prefers an ask to an open request (R2 before R3)", () => {
    expect(detectAgentState([say("api_req_started", "{}"), { ts: 2, type: "ask", ask: "tool" }]).state).toBe(
      "waiting_for_input",
    );
  });

  it.each<[string | null | undefined, string]>([
    [undefined, "streaming"],
    [null, "streaming"],
    ["", "streaming"],
    ["{}", "streaming"],
    ["7", "streaming"],
    ['"text"', "streaming"],
    ["true", "streaming"],
    ["[]", "streaming"],
    ['{"cost":0}', "running"],
    ['{"cost":null}', "running"],
    ['{"cost":"free"}', "running"],
    ["null", "running"],
    ["{", "running"],
  ])("treats a request with the text %j as %s (R3)", (text, state) => {
    expect(detectAgentState([say("api_req_started", text)]).state).toBe(state);
  });

  it("uses only the newest request, of any type (R3)", () => {
    const open: ClineMessage = { ts: 1, type: "ask", say: "api_req_started", text: "{}" };
    const closed = say("api_req_started", '{"cost":1}');
    expect(detectAgentState([open, closed, say("text")]).state).toBe("running");
    expect(detectAgentState([closed, open, say("text")]).state).toBe("streaming");
  });

  it.each(["plan_mode_respond", "constructor", "__proto__", ""])("ignores the unknown ask %j (R4)", (ask) => {
    const unknown: ClineMessage = { ts: 2, type: "ask", ask };
    expect(detectAgentState([say("api_req_started", "{}"), unknown]).state).toBe("streaming");
    expect(detectAgentState([say("api_req_started", '{"cost":1}'), unknown])).not.toHaveProperty(
      "currentAsk",
    );
  });

  it("ignores the ask of a say message (R2)", () => {
    expect(detectAgentState([say("text", "", { ask: "tool" })]).state).toBe("running");
  });

  test.prop([fc.array(message(fc.nat(9)), { maxLength: 12 })])(
    "returns the same for an array, a log and any other iterable, and never throws",
    (messages) => {
      const info = detectAgentState(messages);
      expect(detectAgentState(PersistentList.from(messages))).toEqual(info);
      expect(detectAgentState(new Set(messages.map((message) => ({ ...message }))))).toEqual(info);
      expect(info.lastMessage).toBe(messages.at(-1));
    },
  );
});

describe("detectWebviewState", () => {
  it.each(vectors)("equals the documentation of the webview: $name", ({ messages, webviewDocument }) => {
    const state = detectWebviewState(messages);
    expect(state === "interactive" || state === "followup" ? "waiting" : state).toBe(webviewDocument);
  });

  it("distinguishes questions and approvals", () => {
    expect(detectWebviewState([{ ts: 1, type: "ask", ask: "followup" }])).toBe("followup");
    expect(detectWebviewState([{ ts: 1, type: "ask", ask: "tool" }])).toBe("interactive");
    expect(detectWebviewState([{ ts: 1, type: "ask", ask: "followup", partial: true }])).toBe("streaming");
    expect(detectWebviewState([say("api_req_started", null)])).toBe("running");
  });
});
