import { firstValueFrom } from "rxjs";
import { describe, expect, test } from "vitest";
import { ClientError } from "../../../../client/index.ts";
import type { ClineMessage } from "../../../../machines/message/message.ts";
import { createMockClient } from "../../../../testing/index.ts";
import { ask, listen, say, state, update } from "./spoken.ts";

const open = say(2, "api_req_started", { text: "{}" });
const closed = say(2, "api_req_started", { text: '{"cost":0.1}' });

describe("one state push emits", () => {
  test("modeChanged, queueChanged, stateChange, waitingForInput, then message for each new message", () => {
    const { client, names } = listen();
    client.handleMessage(
      state([say(1, "text"), ask(2, "tool")], { mode: "code", messageQueue: [{ id: "q", text: "later" }] }),
    );
    expect(names()).toEqual([
      "modeChanged",
      "queueChanged",
      "stateChange",
      "waitingForInput",
      "message 1",
      "message 2",
    ]);
  });

  test("resumedRunning, then streamingStarted, if an answered agent streams immediately", () => {
    const { client, names } = listen();
    client.handleMessage(state([ask(1, "followup")]));
    names();
    client.handleMessage(state([ask(1, "followup"), open]));
    expect(names()).toEqual(["stateChange", "resumedRunning", "streamingStarted", "message 2"]);
  });

  test("streamingEnded, then taskCompleted, and waitingForInput before both", () => {
    const { client, names } = listen();
    client.handleMessage(state([say(1, "text"), open]));
    names();
    client.handleMessage(state([say(1, "text"), closed, ask(3, "completion_result")]));
    expect(names()).toEqual([
      "stateChange",
      "waitingForInput",
      "streamingEnded",
      "taskCompleted",
      "message 3",
    ]);
  });

  test("only modeChanged if it has no list of messages", () => {
    const { client, names } = listen();
    client.handleMessage({ type: "state", state: { mode: "architect" } });
    expect(names()).toEqual(["modeChanged"]);
    expect(client.getCurrentState()).toBe("no_task");
  });

  test("a stateChange to no_task if the list of messages is empty", () => {
    const { client, names, payloads } = listen();
    client.handleMessage(state([say(1, "text")]));
    names();
    client.handleMessage(state([]));
    expect(payloads("stateChange")).toMatchObject([
      { previousState: { state: "running" }, currentState: { state: "no_task" }, isSignificantChange: true },
    ]);
    expect(client.hasActiveTask()).toBe(false);
  });

  test("message once for each message, however often it is pushed", () => {
    const { client, names } = listen();
    client.handleMessage(state([say(1, "text")]));
    client.handleMessage(state([say(1, "text"), say(2, "text"), say(3, "text")]));
    client.handleMessage(state([say(1, "text"), say(2, "text"), say(3, "text")]));
    expect(names().filter((name) => name.startsWith("message"))).toEqual([
      "message 1",
      "message 2",
      "message 3",
    ]);
  });
});

describe("one message update emits", () => {
  test("messageUpdated, stateChange, the transition events, taskCompleted, and message if the message is new", () => {
    const { client, names } = listen();
    client.handleMessage(state([say(1, "text"), closed]));
    names();
    client.handleMessage(update(ask(3, "tool", { partial: true })));
    expect(names()).toEqual(["messageUpdated 3", "stateChange", "streamingStarted", "message 3"]);
    client.handleMessage(update(ask(3, "tool", { partial: false })));
    expect(names()).toEqual(["messageUpdated 3", "stateChange", "waitingForInput", "streamingEnded"]);
    client.handleMessage(update(say(4, "text")));
    expect(names()).toEqual(["messageUpdated 4", "stateChange", "resumedRunning", "message 4"]);
    client.handleMessage(update(ask(5, "completion_result")));
    expect(names()).toEqual([
      "messageUpdated 5",
      "stateChange",
      "waitingForInput",
      "taskCompleted",
      "message 5",
    ]);
  });

  test("nothing between the messages of one commit: all events are emitted after the last", () => {
    const { client, names } = listen();
    client.handleMessage(state([ask(1, "tool", { partial: true })]));
    names();
    client.handleMessage(update(ask(1, "tool", { partial: false, closing: "withdrawn" }), { more: true }));
    expect(names()).toEqual([]);
    expect(client.getCurrentState()).toBe("streaming");
    expect(client.getMessages()).toMatchObject([{ partial: true }]);
    client.handleMessage(update(ask(2, "resume_task")));
    expect(names()).toEqual([
      "messageUpdated 1",
      "messageUpdated 2",
      "stateChange",
      "waitingForInput",
      "streamingEnded",
      "message 2",
    ]);
  });

  test("waitingForInput again for the next ask, with its id, although the agent was waiting before", () => {
    const { client, payloads } = listen();
    client.handleMessage(state([ask(1, "tool")]));
    client.handleMessage(update(ask(2, "tool")));
    expect(payloads("waitingForInput")).toMatchObject([
      { ask: "tool", askId: 1 },
      { ask: "tool", askId: 2, message: { ts: 2 }, stateInfo: { requiredAction: "approve" } },
    ]);
    client.handleMessage(update(ask(2, "tool", { text: "the same ask" })));
    expect(payloads("waitingForInput")).toHaveLength(2);
  });

  test("nothing for an unknown message that is older than the newest", () => {
    const { client, names } = listen();
    client.handleMessage(state([say(1, "text"), ask(5, "tool")]));
    names();
    client.handleMessage(update(say(3, "api_req_started", { text: "{}" })));
    expect(names()).toEqual([]);
    expect(client.getMessages().map(({ ts }) => ts)).toEqual([1, 5]);
  });

  test("the events of each of two messages with the same ts and different kinds", () => {
    const { client } = listen();
    client.handleMessage(state([ask(1, "command_output")]));
    client.handleMessage(update(say(1, "command_output")));
    client.handleMessage(update(say(1, "command_output", { text: "whole" })));
    client.handleMessage(update(ask(1, "command_output", { text: "asked" })));
    expect(client.getMessages().map(({ type, text }) => `${type} ${text}`)).toEqual([
      "ask asked",
      "say whole",
    ]);
  });
});

describe("the state", () => {
  test("is emitted with each message, or only when it changes", () => {
    const all = listen();
    const few = listen({ emitAllStateChanges: false });
    for (const { client } of [all, few]) {
      client.handleMessage(state([say(1, "text")]));
      client.handleMessage(update(say(2, "text")));
    }
    expect(all.payloads("stateChange")).toMatchObject([
      { isSignificantChange: true },
      { isSignificantChange: false },
    ]);
    expect(few.payloads("stateChange")).toHaveLength(1);
  });

  test("passes through running, streaming, waiting, running and idle in a task's flow", () => {
    const { client, payloads } = listen({ emitAllStateChanges: false });
    client.handleMessages([
      state([say(1, "text")]),
      update(open),
      update(ask(3, "tool", { partial: true })),
      update(closed),
      update(ask(3, "tool", { partial: false })),
      update(say(4, "tool")),
      update(ask(5, "completion_result")),
    ]);
    expect(payloads("stateChange").map(({ currentState }) => currentState.state)).toEqual([
      "running",
      "streaming",
      "waiting_for_input",
      "running",
      "idle",
    ]);
    expect(payloads("taskCompleted")).toMatchObject([{ success: true, message: { ts: 5 } }]);
  });

  test("is not waiting at an unknown ask", () => {
    const { client } = listen();
    client.handleMessage(state([ask(1, "something_new")]));
    expect(client.isWaitingForInput()).toBe(false);
    expect(client.isRunning()).toBe(true);
  });

  test("follows the last of a thousand messages", () => {
    const { client } = listen();
    const rows = Array.from({ length: 1000 }, (_, ts) => say(ts, "text"));
    client.handleMessage(state([...rows, ask(1000, "followup")]));
    expect(client.getCurrentAsk()).toBe("followup");
    expect(client.getMessages()).toHaveLength(1001);
  });

  test("is not changed by invalid JSON, a message without a type, or an unknown type", () => {
    const { client, names } = listen();
    client.handleMessages([
      "{",
      "7",
      "null",
      "{}",
      { type: "action" },
      { type: "invoke" },
      { type: "other" },
    ]);
    expect(names()).toEqual([]);
    expect(client.getCurrentState()).toBe("no_task");
    expect(client.isInitialized()).toBe(false);
  });

  test("is not changed by an invalid message: the error has the position", () => {
    const { client, payloads } = listen();
    client.handleMessage(state([{ ts: "1" } as unknown as ClineMessage]));
    client.handleMessage({ type: "messageUpdated" });
    expect(payloads("error")).toMatchObject([
      { code: "INVALID_MESSAGE", message: expect.stringContaining("state.clineMessages[0]") },
      { code: "INVALID_MESSAGE", message: expect.stringContaining("clineMessage") },
    ]);
    expect(client.isInitialized()).toBe(false);
  });

  test.each([
    ["partialMessage", (message: unknown) => ({ type: "partialMessage", partialMessage: message })],
    ["clineMessage", (message: unknown) => ({ type: "clineMessage", message })],
  ])("is also read from %s, as from messageUpdated", (_type, pushOf) => {
    const { client, names, payloads } = listen();
    client.handleMessage(state([say(1, "text"), ask(2, "tool", { text: "{", partial: true })]));
    names();
    client.handleMessage(pushOf(ask(2, "tool", { text: "{}" })));
    expect(names()).toEqual(["messageUpdated 2", "stateChange", "waitingForInput", "streamingEnded"]);
    expect(client.getLastMessage()).toMatchObject({ ts: 2, text: "{}" });
    for (const bad of [undefined, null, "text", {}, { ts: "2" }]) client.handleMessage(pushOf(bad));
    expect(payloads("error")).toHaveLength(5);
    expect(payloads("error")).toMatchObject(Array(5).fill({ code: "INVALID_MESSAGE" }));
    expect(client.getLastMessage()).toMatchObject({ ts: 2, text: "{}" });
  });

  test("is also read from a JSON string", () => {
    const { client } = listen();
    client.handleMessage(JSON.stringify(state([ask(1, "tool")])));
    expect(client.getCurrentState()).toBe("waiting_for_input");
  });
});

describe("messages", () => {
  test("are frozen copies: neither the sender nor a reader can change them (R29)", () => {
    const { client } = listen();
    const live = { ts: 1, type: "ask" as const, ask: "tool", images: ["a"] };
    client.handleMessage(state([live]));
    live.ask = "completion_result";
    live.images.push("b");
    expect(client.getMessages()).toEqual([{ ts: 1, type: "ask", ask: "tool", images: ["a"] }]);
    const [row] = client.getMessages();
    expect(() => Object.assign(row ?? {}, { ask: "other" })).toThrow(TypeError);
    expect(() => (client.getMessages() as ClineMessage[]).push(live)).toThrow(TypeError);
  });
});

describe("the mode", () => {
  test("is emitted first without a previous mode, then only when it changes", () => {
    const { client, payloads } = listen();
    for (const mode of ["code", "code", "ask"]) client.handleMessage(state([], { mode }));
    expect(payloads("modeChanged")).toEqual([
      { previousMode: undefined, currentMode: "code" },
      { previousMode: "code", currentMode: "ask" },
    ]);
  });

  test("is kept by messages without a mode and by clearTask, and removed by reset", () => {
    const { client } = listen();
    client.handleMessage(state([say(1, "text")], { mode: "code" }));
    client.handleMessage(state([say(1, "text")]));
    client.handleMessage(state([say(1, "text")], { mode: 7 }));
    client.clearTask();
    expect(client.getCurrentMode()).toBe("code");
    client.reset();
    expect(client.getCurrentMode()).toBeUndefined();
    expect(client.isInitialized()).toBe(false);
  });
});

describe("clearTask", () => {
  test("removes the messages, keeps the client initialized, and emits taskCleared but no stateChange", () => {
    const { client, names, sent } = listen();
    client.handleMessage(state([say(1, "text")]));
    names();
    client.clearTask();
    expect(names()).toEqual(["taskCleared"]);
    expect(client.getMessages()).toEqual([]);
    expect(client.isInitialized()).toBe(true);
    expect(sent).toEqual([{ type: "clearTask" }]);
  });

  test("rejects late messages of the cleared task: only a state push shows it again (I14)", () => {
    const { client, names } = listen();
    client.handleMessage(state([say(1, "text")], { taskId: "a" }));
    client.clearTask();
    names();
    client.handleMessage(update(say(2, "text"), { taskId: "a" }));
    expect(names()).toEqual([]);
    client.handleMessage(state([say(1, "text"), say(2, "text")], { taskId: "a" }));
    expect(names()).toEqual(["stateChange", "message 1", "message 2"]);
  });
});

describe("with two tasks", () => {
  test("a message of one task never enters the state of the other (I14)", () => {
    const { client, names } = listen();
    client.handleMessage(state([ask(1, "tool")], { taskId: "parent" }));
    client.handleMessage(state([say(5, "text")], { taskId: "child" }));
    names();
    client.handleMessage(update(say(2, "api_req_started", { text: '{"cost":1}' }), { taskId: "parent" }));
    client.handleMessage(update(say(9, "text"), { taskId: "parent" }));
    client.handleMessage({
      type: "commandExecutionStatus",
      taskId: "parent",
      askId: 1,
      status: "output",
      output: "x",
    });
    expect(names()).toEqual([]);
    expect(client.getTaskId()).toBe("child");
    expect(client.getMessages()).toMatchObject([{ ts: 5 }]);
  });

  test("a waiting ask of the other task is emitted when that task is shown, its messages not twice", () => {
    const { client, names } = listen();
    client.handleMessage(state([ask(1, "tool")], { taskId: "a" }));
    client.handleMessage(state([ask(1, "tool")], { taskId: "b" }));
    expect(names()).toEqual([
      ...["stateChange", "waitingForInput", "message 1"],
      ...["stateChange", "waitingForInput", "message 1"],
    ]);
    client.handleMessage(state([ask(1, "tool")], { taskId: "a" }));
    expect(names()).toEqual(["stateChange", "waitingForInput"]);
  });

  test("a completion is emitted once, even if its task is shown again", () => {
    const { client, payloads } = listen();
    for (const taskId of ["a", "b", "a", "b"])
      client.handleMessage(state([ask(1, "completion_result")], { taskId }));
    expect(payloads("taskCompleted")).toHaveLength(2);
  });
});

describe("listeners", () => {
  test("are not called after they unsubscribe", () => {
    const { client } = createMockClient();
    const heard: string[] = [];
    const stop = client.onStateChange(({ currentState }) => heard.push(currentState.state));
    client.handleMessage(state([say(1, "text")]));
    stop();
    client.handleMessage(state([]));
    expect(heard).toEqual(["running"]);
  });

  test("that throw stop no other listener and no later event, and the error is reported", async () => {
    const { client, names, payloads } = listen();
    const first = new Error("first");
    const second = new Error("second");
    client.on("stateChange", () => {
      throw first;
    });
    client.on("message", async () => Promise.reject(second));
    client.handleMessage(state([ask(1, "tool")]));
    expect(payloads("error")).toEqual([first]);
    expect(names()).toEqual(["stateChange", "error", "waitingForInput", "message 1"]);
    expect(await firstValueFrom(client.events$("error"))).toBe(second);
  });

  test("that cause the next message receive all events of the current one first", () => {
    const { client, names } = listen();
    client.once("stateChange", () => client.handleMessage(update(say(2, "text"))));
    client.handleMessage(state([ask(1, "tool")]));
    expect(names()).toEqual([
      ...["stateChange", "waitingForInput", "message 1"],
      ...["messageUpdated 2", "stateChange", "resumedRunning", "message 2"],
    ]);
  });

  test("may be RxJS observers, which complete when all listeners are removed", () => {
    const { client } = createMockClient();
    const heard: string[] = [];
    client.events$("waitingForInput").subscribe({
      next: ({ ask: kind }) => heard.push(kind),
      complete: () => heard.push("complete"),
    });
    client.state$.subscribe(({ state: now }) => heard.push(now));
    client.handleMessage(state([ask(1, "tool")]));
    client.reset();
    expect(heard).toEqual(["no_task", "waiting_for_input", "tool", "complete"]);
  });
});

describe("an answer", () => {
  test("names the ask and the task that are shown (L8)", () => {
    const { client, sent } = listen();
    client.handleMessage(state([ask(7, "tool")], { taskId: "t" }));
    client.approve();
    client.reject("no");
    client.respond("words", ["data:image/png;base64,"]);
    client.sendMessage({ type: "askResponse", askResponse: "yesButtonClicked" });
    client.sendResponse("objectResponse");
    const named = { type: "askResponse", taskId: "t", askId: 7 };
    expect(sent).toEqual([
      { ...named, askResponse: "yesButtonClicked" },
      { ...named, askResponse: "noButtonClicked", text: "no" },
      { ...named, askResponse: "messageResponse", text: "words", images: ["data:image/png;base64,"] },
      { ...named, askResponse: "yesButtonClicked" },
      { ...named, askResponse: "objectResponse" },
    ]);
  });

  test("is refused with a code and changes nothing if the ask is missing, partial, answered or closed (L8)", () => {
    const rows = [
      [],
      [say(1, "text")],
      [ask(1, "tool", { partial: true })],
      [ask(1, "tool", { closing: "answered" })],
      [ask(1, "tool"), say(2, "text")],
    ];
    for (const shown of rows) {
      const { client, sent, payloads } = listen();
      client.handleMessage(state(shown));
      for (const given of [client.approve(), client.reject(), client.respond("words")])
        expect(given).toMatchObject({ sent: false, error: { code: "NO_OPEN_ASK" } });
      expect(payloads("error")).toHaveLength(3);
      expect(sent).toEqual([]);
    }
  });

  test("with a text is sent to an accepted completion, and no other answer is", () => {
    const { client, sent } = listen();
    client.handleMessage(state([ask(1, "completion_result", { closing: "answered" })]));
    expect(client.respond("One more thing")).toEqual({ sent: true });
    expect(client.approve()).toMatchObject({ sent: false });
    expect(sent).toMatchObject([{ askId: 1 }]);
  });

  test("to a command's output continues or aborts it, and requires a running command", () => {
    const { client, sent } = listen();
    expect(client.continueTerminal()).toMatchObject({ error: { code: "NO_OPEN_ASK" } });
    client.handleMessage(state([ask(1, "tool")]));
    expect(client.abortTerminal()).toMatchObject({ error: { code: "NO_OPEN_ASK" } });
    client.handleMessage(state([ask(2, "command_output")]));
    client.continueTerminal();
    client.abortTerminal();
    expect(sent).toEqual([
      { type: "terminalOperation", terminalOperation: "continue", askId: 2 },
      { type: "terminalOperation", terminalOperation: "abort", askId: 2 },
    ]);
  });

  test("that the agent refuses is an error with its code, or REFUSED for an unknown code", () => {
    const { client, payloads } = listen();
    const refusal = {
      type: "refused",
      of: "askResponse",
      askId: 3,
      code: "ASK_CLOSED",
      message: "Too late.",
    };
    client.handleMessage(refusal);
    client.handleMessage({ ...refusal, code: "OTHER" });
    const [closedAsk, other] = payloads("error");
    expect(closedAsk).toBeInstanceOf(ClientError);
    expect(closedAsk).toMatchObject({ code: "ASK_CLOSED", message: "Too late.", refusal });
    expect(other).toMatchObject({ code: "REFUSED", refusal: { code: "OTHER" } });
  });

  test("that the transport rejects is refused and reported", async () => {
    const thrown = listen({
      sendMessage: () => {
        throw new Error("gone");
      },
    });
    expect(thrown.client.cancelTask()).toMatchObject({ sent: false, error: { code: "SEND_FAILED" } });
    const rejected = listen({ sendMessage: () => Promise.reject(new Error("gone")) });
    const told = firstValueFrom(rejected.client.events$("error"));
    expect(rejected.client.cancelTask()).toEqual({ sent: true });
    expect(await told).toMatchObject({ code: "SEND_FAILED" });
  });
});

test("other messages are sent unchanged", () => {
  const { client, sentMessages, clearMessages } = createMockClient();
  client.newTask("Do it", ["a"]);
  client.cancelTask();
  client.queueMessage("later");
  client.removeQueuedMessage("q");
  client.editQueuedMessage("q", "sooner");
  client.editQueuedMessage("q", "soon", []);
  client.setMode("ask");
  expect(sentMessages).toEqual([
    { type: "newTask", text: "Do it", images: ["a"] },
    { type: "cancelTask" },
    { type: "queueMessage", text: "later" },
    { type: "removeQueuedMessage", id: "q" },
    { type: "editQueuedMessage", id: "q", text: "sooner" },
    { type: "editQueuedMessage", id: "q", text: "soon", images: [] },
    { type: "mode", mode: "ask" },
  ]);
  clearMessages();
  expect(sentMessages).toEqual([]);
});

test("a command's output and its end are emitted", () => {
  const { client, payloads } = listen();
  const status = { type: "commandExecutionStatus", askId: 4 };
  client.handleMessages([
    { ...status, status: "output", output: "a" },
    { ...status, status: "exited", exitCode: 0 },
    { ...status, status: "exited" },
  ]);
  expect(payloads("commandOutput")).toEqual([{ askId: 4, output: "a" }]);
  expect(payloads("commandExited")).toEqual([{ askId: 4, exitCode: 0 }, { askId: 4 }]);
});

test("the debug log has a line for each state and each event, in Roo Code's format, without message text", () => {
  const lines: string[] = [];
  const { client } = listen({ debug: true, log: (line) => lines.push(line) });
  client.handleMessage(state([say(1, "text", { text: "secret" })]));
  client.handleMessage(update(ask(2, "completion_result")));
  client.setDebug(false);
  client.handleMessage(state([]));
  expect(lines.join("\n")).toMatchInlineSnapshot(`
    "[MessageProcessor] State update: {"messageCount":1,"lastMessage":{"msgType":"say:text"},"stateTransition":"no_task → running","isWaitingForInput":false}
    [MessageProcessor] EMIT stateChange: {"stateTransition":"no_task → running","isSignificantChange":true}
    [MessageProcessor] EMIT message: {"ts":1,"msgType":"say:text"}
    [MessageProcessor] State update: {"messageCount":2,"lastMessage":{"msgType":"ask:completion_result"},"stateTransition":"running → idle","currentAsk":"completion_result","isWaitingForInput":true}
    [MessageProcessor] EMIT messageUpdated: {"ts":2,"msgType":"ask:completion_result"}
    [MessageProcessor] EMIT stateChange: {"stateTransition":"running → idle","isSignificantChange":true}
    [MessageProcessor] EMIT waitingForInput: {"ask":"completion_result"}
    [MessageProcessor] EMIT taskCompleted: {"success":true}
    [MessageProcessor] EMIT message: {"ts":2,"msgType":"ask:completion_result"}"
  `);
});
