import { createElement } from "react";
import { expect, it } from "vitest";
import type { SubtaskRow } from "../../../visualize/page/model/subtask-rows.ts";
import { messageTitle } from "../../../visualize/page/panes/messages/message-title.ts";
import { SubtaskList } from "../../../visualize/page/panes/subtasks/subtask-list.tsx";
import { NeedsYouNotice } from "../../../visualize/page/shell/needs-you-notice.tsx";
import type { TaskInfo } from "../../../wire/http/api.ts";
import { assertHarmless, HOSTILE, htmlOf, readOf } from "./markup.ts";
import { appended, commit, snapshotOf, traceOf } from "./trace.ts";

const infoOf = (id: string, text: string): TaskInfo => ({
  ...{
    id,
    title: text,
    state: "waiting_for_input",
    path: "waiting_for_input.answer",
    isOpen: true,
    parentId: "t",
  },
  ...{
    cost: 0.5,
    createdAt: 1,
    updatedAt: 2,
    asks: [{ askId: 2, kind: "followup", text, accepts: ["text"] }],
  },
});

it.each(HOSTILE.map((text) => [text]))(
  "the line and the link of a subtask named %j run and hide nothing",
  (text) => {
    const info = infoOf(`t.${text}`, text);
    const status = { name: "waiting", group: "needs_you", word: "waiting", reason: text } as const;
    const known = { info, status, tokens: 1_200, elapsed: 61_000 };
    const row: SubtaskRow = { taskId: info.id, number: text, title: text, known };
    const html = htmlOf(createElement(SubtaskList, { rows: [row], onTask: () => {} }));
    assertHarmless(html);
    expect(readOf(html)).toMatch(/^waiting.*1 min 1200 tokens \$0\.50$/s);
    const subtasks = [info, infoOf("t.2", text)];
    assertHarmless(htmlOf(createElement(NeedsYouNotice, { task: undefined, subtasks, onOpen: () => {} })));
    assertHarmless(
      htmlOf(createElement(NeedsYouNotice, { task: undefined, subtasks: [info], onOpen: () => {} })),
    );
  },
);

it("the title of a subtask's result names the subtask that the call started, where the trace has the call", () => {
  const calls = ["a", "b"].map((callId, nth) => ({
    ...{ callId, toolUseId: "t", name: "new_task", ask: "tool" as const, phase: "delegated" as const },
    ...{ input: {}, childId: `t.${nth + 1}` },
  }));
  const prompt = { ts: 1, type: "say", say: "text", text: "Do it" } as const;
  const trace = snapshotOf(traceOf([commit(1, { log: [appended(prompt)] }), commit(2, { calls })]));
  const titleOf = (callId: string) => {
    const message = { ts: 9, type: "say", say: "subtask_result", callId, text: "Done." } as const;
    return messageTitle({ message, position: 1, status: undefined, at: 2 }, trace);
  };
  expect(["b", "a", "c"].map(titleOf)).toEqual(["Result of subtask 2", "Result of subtask 1", undefined]);
});
