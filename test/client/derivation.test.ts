import { expect, test } from "vitest";
import { isIdleAsk, isInteractiveAsk, isNonBlockingAsk, isResumableAsk } from "../../client/index.ts";
import { ASKS } from "../../machines/message/asks.ts";
import { detectAgentState } from "../../machines/message/detect.ts";
import { AgentLoopState } from "../../machines/message/states.ts";

test("a client entry derives the state of an ask as its guards tell, without a client", () => {
  for (const ask of Object.keys(ASKS)) {
    const guards = [isInteractiveAsk, isIdleAsk, isResumableAsk, isNonBlockingAsk];
    const states = [
      AgentLoopState.WAITING_FOR_INPUT,
      AgentLoopState.IDLE,
      AgentLoopState.RESUMABLE,
      AgentLoopState.RUNNING,
    ];
    const expected = states.filter((_, position) => guards[position]?.(ask));
    expect([detectAgentState([{ ts: 1, type: "ask", ask, text: "" }]).state]).toEqual(expected);
  }
  expect(detectAgentState([]).state).toBe(AgentLoopState.NO_TASK);
  expect(detectAgentState([{ ts: 1, type: "say", say: "text", text: "", partial: true }]).state).toBe(
    AgentLoopState.STREAMING,
  );
});
