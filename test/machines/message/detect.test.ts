import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { PersistentList } from "../../../machines/list/index.ts";
import { type ClineMessage, detectAgentState, detectWebviewState } from "../../../machines/message/index.ts";
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

/** The one case where our rules differ from the function that the vectors were taken from. */
const BROWSER = "ask browser_action_launch (legacy), request closed";

const say = (name: string, text?: string | null, more: Partial<ClineMessage> = {}): ClineMessage => ({
  ts: 1,
  type: "say",
  say: name,
  ...(text !== undefined && { text }),
  ...more,
});

describe("detectAgentState", () => {
  it.each(vectors.filter(({ name }) => name !== BROWSER))(
    "gives what the reference gives: $name",
    (vector) => {
      const { state, isWaitingForInput, isRunning, isStreaming, currentAsk, requiredAction } =
        detectAgentState(vector.messages);
      const seen = {
        state,
        isWaitingForInput,
        isRunning,
        isStreaming,
        currentAsk: currentAsk ?? null,
        requiredAction,
      };
      expect(seen).toEqual(vector.cli);
    },
  );

  it("takes browser_action_launch for an interactive ask, as both documents do (R2)", () => {
    const messages = vectors.find(({ name }) => name === BROWSER)?.messages;
    expect(detectAgentState(messages)).toMatchObject({
      state: "waiting_for_input",
      currentAsk: "browser_action_launch",
      requiredAction: "approve",
      isWaitingForInput: true,
    });
  });

  it.each(logs)("gives the recorded state at every prefix of $log", ({ messages, states }) => {
    const expected = states.flatMap(([state, times]) => Array.from({ length: times }, () => state));
    const seen = Array.from(
      { length: messages.length + 1 },
      (_, n) => detectAgentState(messages.slice(0, n)).state,
    );
    expect(seen).toEqual(expected);
  });

  it.each([[null], [undefined], [[]], [PersistentList.empty<ClineMessage>()]])(
    "says no_task where there are no messages: %s (R0)",
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

  it("bears an empty place at the end of a foreign array (R0)", () => {
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
  ] as const)("says in words what the agent does after %j", (last, state, description) => {
    expect(detectAgentState([last])).toMatchObject({
      state,
      description,
      lastMessageTs: 1,
      lastMessage: last,
    });
  });

  it("reports the ask that streams, and that it takes no answer yet (R1)", () => {
    const info = detectAgentState([{ ts: 1, type: "ask", ask: "followup", partial: true }]);
    expect(info).toMatchObject({ state: "streaming", currentAsk: "followup", requiredAction: "none" });
    expect(info.isWaitingForInput).toBe(false);
  });

  it("lets an ask beat an open request (R2 before R3)", () => {
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
  ])("reads a request whose text is %j as %s (R3)", (text, state) => {
    expect(detectAgentState([say("api_req_started", text)]).state).toBe(state);
  });

  it("looks at the newest request only, whatever its type (R3)", () => {
    const open: ClineMessage = { ts: 1, type: "ask", say: "api_req_started", text: "{}" };
    const closed = say("api_req_started", '{"cost":1}');
    expect(detectAgentState([open, closed, say("text")]).state).toBe("running");
    expect(detectAgentState([closed, open, say("text")]).state).toBe("streaming");
  });

  it.each(["plan_mode_respond", "constructor", "__proto__", ""])(
    "lets the unknown ask %j fall through to the request (R4)",
    (ask) => {
      const unknown: ClineMessage = { ts: 2, type: "ask", ask };
      expect(detectAgentState([say("api_req_started", "{}"), unknown]).state).toBe("streaming");
      expect(detectAgentState([say("api_req_started", '{"cost":1}'), unknown])).not.toHaveProperty(
        "currentAsk",
      );
    },
  );

  it("takes no row of type say for an ask, also if it names one (R2)", () => {
    expect(detectAgentState([say("text", "", { ask: "tool" })]).state).toBe("running");
  });

  test.prop([fc.array(message(fc.nat(9)), { maxLength: 12 })])(
    "reads an array, a log and any other iterable alike, and throws for none",
    (messages) => {
      const info = detectAgentState(messages);
      expect(detectAgentState(PersistentList.from(messages))).toEqual(info);
      expect(detectAgentState(new Set(messages.map((row) => ({ ...row }))))).toEqual(info);
      expect(info.lastMessage).toBe(messages.at(-1));
    },
  );
});

describe("detectWebviewState", () => {
  it.each(vectors)("gives what the webview's document says: $name", ({ messages, webviewDocument }) => {
    const state = detectWebviewState(messages);
    expect(state === "interactive" || state === "followup" ? "waiting" : state).toBe(webviewDocument);
  });

  it("tells a question from an approval", () => {
    expect(detectWebviewState([{ ts: 1, type: "ask", ask: "followup" }])).toBe("followup");
    expect(detectWebviewState([{ ts: 1, type: "ask", ask: "tool" }])).toBe("interactive");
    expect(detectWebviewState([{ ts: 1, type: "ask", ask: "followup", partial: true }])).toBe("streaming");
    expect(detectWebviewState([say("api_req_started", null)])).toBe("running");
  });
});
